"""The sets of section 4: training and validation sets of skewed classes, and test sets of varying mixtures.

Owner and referee draw them alike, from the randomness they share. Indices of members leave the owner, labels do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.random import Generator

from replication.arrays import Fields, Key, Named, under
from unveil.errors import require
from unveil.types import Array

if TYPE_CHECKING:
    from unveil.estimators.bags.proportion_svm import ProportionSVM

Sized = TypeVar("Sized")

#: ASSUME: the bandwidths 2⁻⁵ … 2⁵ of section 4.2 are s in exp(−|x − y|²/(2s²)). If they were γ in exp(−γ|x − y|²), s
#: would be these.
GAMMAS = tuple(2.0 ** (-(k + 1) / 2) for k in range(-5, 6))


def skewed_counts(classes: int, rho: float, size: int) -> Array:
    """One set a class, whose other classes have ⌊ρ·size⌉ members each: (sets, classes) counts (section 4.2)."""
    minority = round(rho * size)
    require(minority * (classes - 1) <= size, f"rho = {rho:g} leaves no room for {classes} classes")
    counts = np.full((classes, classes), minority)
    np.fill_diagonal(counts, size - minority * (classes - 1))
    return counts


def mixture_counts(classes: int, share: float, size: int) -> Array:
    """The test mixture (x, …, x, 1 − (c − 1)x) as counts."""
    return np.asarray(skewed_counts(classes, share, size)[-1])


def positive_counts(fractions: Sequence[float], size: int) -> Array:
    """Test sets of two classes by the share of the second, as counts."""
    positive = np.round(np.asarray(fractions, dtype=float) * size).astype(int)
    require(((positive >= 0) & (positive <= size)).all(), "fractions must lie between 0 and 1")
    return np.column_stack([size - positive, positive])


def shares_of(counts: Array) -> Array:
    """Counts as proportions, set by set."""
    return np.asarray(counts / counts.sum(axis=-1, keepdims=True))


class Design(NamedTuple):
    """Counts of every class in the sets of one experiment, (sets, classes) each.

    Of each test set also the share x of all classes but one, and which class, from rare to frequent, is that one.
    """

    train: Array
    validation: Array
    tests: Array
    x: Sequence[float] = ()
    dominant: Sequence[int] = ()

    @property
    def veiled(self) -> Array:
        """The counts whose proportions a release has to hide: those of training and validation sets."""
        return np.concatenate([self.train, self.validation])


def labels_of(fields: Fields, sets: Mapping[str, Sized]) -> Iterator[tuple[str, Sized, Array]]:
    """Every data set, what is asked of its sets, and its labels."""
    require(set(fields) == set(sets), "sets: must name the data sets that are read")
    for dataset, size in sets.items():
        yield dataset, size, fields[dataset]["labels"]


def by_frequency(labels: Array, classes: int) -> Array:
    """The classes from rare to frequent, checked to be as many as expected.

    ASSUME: the last class of the paper's test mixtures, of which x = 0 needs a full set, is the largest.
    """
    names, counts = np.unique(labels, return_counts=True)
    require(len(names) == classes, f"sets: {classes} classes are configured, but the labels have {len(names)}")
    return np.asarray(names[np.argsort(counts, kind="stable")])


def draw_sets(labels: Array, classes: Array, design: Design, rng: Generator) -> dict[str, Array]:
    """Members of sets with the counts of `design`, every class without replacement: what leaves the owner of them.

    `train` and `validation` hold one set a row; they are disjoint from each other and from all test sets, which are
    drawn independently. `tests[t, k]` says whether the k-th point of `pool` belongs to test set t: test sets may share
    points, so that a learner handles each point once. All members stand in the order of the data, which says nothing
    of their class.
    """
    kept, tests = design.veiled, design.tests
    members: list[list[Array]] = []
    for k, name in enumerate(classes):
        own = rng.permutation(np.flatnonzero(labels == name))
        needed = int(kept[:, k].sum() + tests[:, k].max())
        require(
            len(own) >= needed,
            f"class {name} has {len(own)} members, but the sets need {needed}: configure smaller sets",
        )
        *parts, rest = np.split(own, np.cumsum(kept[:, k]))
        members.append([*parts, *(rng.permutation(rest)[:size] for size in tests[:, k])])
    together = [np.sort(np.concatenate([part[s] for part in members])) for s in range(len(kept) + len(tests))]
    trained, tested = len(design.train), together[len(kept) :]
    pool = np.unique(np.concatenate(tested))
    return {
        "train": np.stack(together[:trained]).astype(np.int32),
        "validation": np.stack(together[trained : len(kept)]).astype(np.int32),
        "pool": pool.astype(np.int32),
        "tests": np.stack([np.isin(pool, one) for one in tested]),
    }


def points_of(inputs: Array, members: Array) -> Array:
    """The feature vectors of members in float32; pixels go from 0 to 1."""
    chosen = np.asarray(inputs[members])
    if chosen.dtype == np.uint8:
        return (chosen.reshape(*members.shape, -1) / np.float32(255)).astype(np.float32, copy=False)
    return chosen.astype(np.float32, copy=False)


def count_decisions(model: ProportionSVM, pool: Array, tests: Array) -> Array:
    """The ratios of two classes that a machine finds in test sets: those share points, each of which is met once."""
    found = model.decide(pool)
    shares = np.array([found[own].mean() for own in tests])
    return np.column_stack([1.0 - shares, shares])


def inputs_of(arrays: Mapping[str, Array]) -> Array:
    """The feature matrix, or the images, of a data set."""
    return arrays["images"] if "images" in arrays else arrays["features"]


def below(arrays: Mapping[str, Array], *prefix: str | int) -> dict[Key, Array]:
    """Arrays with `prefix` before their names."""
    return {(*prefix, name): array for name, array in arrays.items()}


def each_design(arrays: Named, dataset: str) -> Iterator[dict[Key, Array]]:
    """What is named after each design of a data set, `(data set, position, …)`, one after the other."""
    for k in count():
        found = under(arrays, dataset, k)
        if not found:
            return
        yield found
