"""Random Fourier features of the Gaussian kernel, for many bandwidths (Rahimi and Recht 2007), or the kernel itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from unveil.errors import require, require_number
from unveil.estimators.bags.mmd_gram import as_points, check_bandwidths, cross_products, mmd_gram
from unveil.types import Array

#: Phases held at a time: 32 MiB.
PHASES = 1 << 22
#: Errors double with the phases: after so many doublings twelve digits are left.
_DOUBLINGS = 10


def draw_frequencies(dimension: int, features: int, rng: Generator) -> Array:
    """Frequencies of the kernel of bandwidth one, one a column; other bandwidths divide them."""
    require_number(features, "random_features", whole=True)
    require(1 <= features <= 10**7, f"random_features must lie between 1 and 10^7, not {features!r}")
    features = int(features)
    return rng.standard_normal((dimension, features))


def mean_features(bags: Sequence[ArrayLike], frequencies: Array, bandwidths: ArrayLike) -> Array:
    """Mean features of every bag and bandwidth, as (bandwidths, bags, 2 · features).

    Their inner products are unbiased estimates of those of the kernel mean embeddings, with a deviation of
    at most 1/√(2 · features): cos and sin of the same frequency together.
    """
    widths = check_bandwidths(bandwidths)
    count = frequencies.shape[1]
    result = np.zeros((len(widths), len(bags), 2 * count))
    step = max(1, PHASES // count)
    for k, bag in enumerate(bags):
        points = as_points(bag, f"bags[{k}]")
        for start in range(0, points.shape[0], step):
            for w, cosines, sines in _waves(points[start : start + step] @ frequencies, widths):
                result[w, k, :count] += cosines.sum(axis=0)
                result[w, k, count:] += sines.sum(axis=0)
        result[:, k] /= points.shape[0]
    return np.asarray(result / np.sqrt(count))


def _waves(phases: Array, widths: Array) -> Iterator[tuple[int, Array, Array]]:
    """The number of each width, and cosines and sines of the phases at it, from the widest on.

    Half the width has twice the phases: cos 2φ = (cos φ − sin φ)(cos φ + sin φ) and sin 2φ = 2 sin φ cos φ.
    """
    order, doubled = np.argsort(-widths, kind="stable"), 0
    cosines = sines = phases
    for last, w in zip([None, *order], order, strict=False):
        if last is not None and widths[last] == 2.0 * widths[w] and doubled < _DOUBLINGS:
            cosines, sines, doubled = (cosines - sines) * (cosines + sines), 2.0 * sines * cosines, doubled + 1
        else:
            scaled, doubled = phases / widths[w], 0
            cosines, sines = np.cos(scaled), np.sin(scaled)
        yield int(w), cosines, sines


class InnerProducts(NamedTuple):
    """How ⟨Φ̂_i, Φ̂_j⟩ is computed: with frequencies approximately, from means of their features."""

    frequencies: Array | None = None

    def products(self, bags: Sequence[Array], queries: Sequence[Array], widths: Array) -> tuple[Array, Array]:
        """Those among the bags, and those of the bags with the queries, at every width."""
        if self.frequencies is None:
            return mmd_gram(bags, widths, queries)
        means = mean_features(bags, self.frequencies, widths)
        return means @ means.swapaxes(1, 2), means @ mean_features(queries, self.frequencies, widths).swapaxes(1, 2)

    def cross(self, bags: Sequence[Array], queries: Sequence[Array], widths: Array) -> Array:
        """Those of the bags with the queries alone."""
        if self.frequencies is None:
            return cross_products(bags, queries, widths)
        means, asked = (mean_features(sets, self.frequencies, widths) for sets in (bags, queries))
        return np.asarray(means @ asked.swapaxes(1, 2))
