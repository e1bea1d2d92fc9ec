"""Inner products of kernel means, by the kernel itself or by random features, and the kernel's natural width."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse, vstack

from unveil.estimators.bags.mmd_gram import cross_products, mmd_gram
from unveil.estimators.bags.random_features import mean_features
from unveil.types import Array


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


def stack_points(bags: Sequence[Array]) -> Any:
    """The points of all bags in one matrix, sparse if one of them is."""
    return vstack(bags, format="csr") if any(map(issparse, bags)) else np.concatenate(bags)


def median_distance(bags: Sequence[Array]) -> float:
    """The median distance of a few points of every bag: at most 500 in all, evenly spaced."""
    points = stack_points(bags)
    some = points[:: max(1, points.shape[0] // 500)]
    some = (some.toarray() if issparse(some) else some).astype(float)
    squares = (some**2).sum(axis=1)
    distances = squares[:, None] + squares - 2 * some @ some.T
    apart = distances[np.triu_indices(len(some), 1)]
    return float(np.sqrt(max(np.median(apart), 1e-12))) if len(apart) else 1.0
