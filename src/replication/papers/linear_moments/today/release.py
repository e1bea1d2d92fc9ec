"""The owners of records release the products of each under local privacy, or a curator their sums."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise, product
from math import sqrt
from typing import TypeAlias

import numpy as np
from numpy.random import Generator

from replication.arrays import Fields, Key
from replication.papers.linear_moments.today.records import draw_linear, multiply, split_records
from replication.papers.linear_moments.today.settings import Release
from replication.randomness import Trial
from unveil.mechanisms.bounded_vectors import SampledCoordinates, SphereRelease, VectorRelease
from unveil.mechanisms.coordinate import CoordinateRelease
from unveil.mechanisms.per_value import PerValueRelease
from unveil.types import Array, Floats

#: Products that are held at a time.
BLOCK = 1 << 22


#: Sums of what is released of some rows, and of the mean square of each release's entries.
Sums: TypeAlias = tuple[Floats, float]
#: What releases rows of products, given their number d and ε.
Veil: TypeAlias = Callable[[Array, float, Generator], Sums]


def by_coordinate(rows: Array, epsilon: float, rng: Generator) -> Sums:
    """The paper's coordinate release of products s in [−1, 1], as the shares (s + 1)/2 that it is made for.

    A bit is centred before it is multiplied by d, so that what is not released is 0: less variance than as printed.
    """
    veil, (n, d) = CoordinateRelease(2 * epsilon), rows.shape
    seen = veil.release((rows + 1) / 2, rng)
    scale = d / (2 * veil.keep - 1)
    return np.bincount(seen.coordinate, 2.0 * seen.bit - 1, d) * scale, n * scale**2 / d


def by_value(rows: Array, epsilon: float, rng: Generator) -> Sums:
    """The paper's per-value φ-RR of the same shares."""
    n, d = rows.shape
    veil = PerValueRelease(2 * epsilon, d)
    sums = veil.debias(veil.release((rows + 1) / 2, rng), total=True)
    return 2 * sums - n, n / (2 * veil.keep - 1) ** 2


def whole(veil_of: Callable[[float, int], VectorRelease]) -> Veil:
    """A mechanism that releases estimates of whole vectors."""

    def release_sums(rows: Array, epsilon: float, rng: Generator) -> Sums:
        released = veil_of(epsilon, rows.shape[1]).release(rows, rng)
        return released.sum(axis=0), float(np.vdot(released, released)) / rows.shape[1]

    return release_sums


#: By local mechanism; each of the paper's at the α whose exact level is ε, twice what it claims for.
MECHANISMS: Mapping[str, Veil] = {
    "coordinate": by_coordinate,
    "per_value": by_value,
    "piecewise": whole(lambda epsilon, _: SampledCoordinates(epsilon)),
    "hybrid": whole(lambda epsilon, _: SampledCoordinates(epsilon, "hybrid")),
    "duchi_ball": whole(lambda epsilon, d: SphereRelease(epsilon, sqrt(d), 0.0)),
    "privunit": whole(lambda epsilon, d: SphereRelease(epsilon, sqrt(d))),
}


def each_batch(records: Array, sizes: tuple[int, ...]) -> Iterator[tuple[int, Array]]:
    """Batches that end where a size does: which size, and the products."""
    step = max(1, BLOCK // (records.shape[1] * (records.shape[1] + 1) // 2))
    for k, (start, end) in enumerate(pairwise([0, *sizes])):
        for first in range(start, min(end, len(records)), step):
            yield k, multiply(records[first : min(first + step, end)])


def release(fields: Fields, trial: Trial, settings: Release) -> dict[Key, Array]:
    """Means of what was released of the first records, a row a size: `(data set, mechanism, level)`."""
    released: dict[Key, Array] = {}
    for dataset, sizes in settings.sizes.items():
        if dataset == "linear":
            records = draw_linear(max(sizes), trial.rng_of(dataset))
        else:
            records = split_records(fields, dataset, trial)[0]
        released |= {(dataset, *key): rows for key, rows in release_means(records, dataset, sizes, trial, settings)}
    return released


def release_means(
    records: Array, dataset: str, sizes: tuple[int, ...], trial: Trial, settings: Release
) -> Iterator[tuple[tuple[str, int], Array]]:
    """What each mechanism tells at each level of two halves of the records, (2, sizes, products + 1), the noise last.

    A curator sees the records, adds Laplace noise once, and says how much: records move sums by 2d at most (Vu and
    Slavković 2009). There is one such release a size, each of another run: they are not meant to go out together.
    """
    d = records.shape[1] * (records.shape[1] + 1) // 2 - 1
    places = [*product(settings.mechanisms, range(len(settings.epsilons)))]
    sums = {place: np.zeros((2, len(sizes), d + 1)) for place in places}
    exact, counts = np.zeros((2, len(sizes), d)), np.zeros((2, len(sizes), 1))
    for k, batch in each_batch(records, sizes):
        for half in (0, 1):
            rows = batch[half::2]
            exact[half, k] += rows.sum(axis=0)
            counts[half, k] += len(rows)
            for name, level in places:
                rng = trial.rng_of(dataset, name, settings.epsilons[level])
                sums[name, level][half, k] += np.append(*MECHANISMS[name](rows, settings.epsilons[level], rng))
    counts = counts.cumsum(axis=1)
    for place in places:
        total = sums[place].cumsum(axis=1)
        yield place, np.concatenate([total[..., :-1], np.sqrt(total[..., -1:])], axis=-1) / counts
    for level, epsilon in enumerate(settings.epsilons):
        scale, rng = 2 * d / epsilon, trial.rng_of(dataset, "curator", epsilon)
        noisy = (exact.cumsum(axis=1) + rng.laplace(scale=scale, size=exact.shape)) / counts
        yield ("curator", level), np.concatenate([noisy, sqrt(2) * scale / counts], axis=-1)
