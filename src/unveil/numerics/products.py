"""Products of features and target as one vector of statistics: the upper triangle of xxᵀ, then x·y."""

from __future__ import annotations

import numpy as np

from unveil.types import Array, Floats


def number_of_products(d: int) -> int:
    """How many statistics a record of d features has."""
    return d * (d + 1) // 2 + d


def products(X: Array, y: Array) -> Floats:
    """The statistics of each record, shape (n, d(d + 1)/2 + d)."""
    rows, columns = np.triu_indices(X.shape[1])
    return np.concatenate([X[:, rows] * X[:, columns], X * y[:, None]], axis=1)


def unfold(statistics: Floats, d: int) -> tuple[Floats, Floats]:
    """(E[xxᵀ], E[x·y]) from the mean of `products`."""
    second = np.zeros((d, d))
    rows, columns = np.triu_indices(d)
    second[rows, columns] = second[columns, rows] = statistics[: len(rows)]
    return second, statistics[len(rows) :]


def residual_slopes(inverse: Floats, weights: Floats) -> Floats:
    """How P (c − S w) moves with each statistic, P and w held: one row a weight, one column a statistic."""
    rows, columns = np.triu_indices(len(weights))
    twice = inverse[:, columns] * weights[rows]
    slopes = inverse[:, rows] * weights[columns] + np.where(rows == columns, 0.0, twice)
    return np.concatenate([-slopes, inverse], axis=1)
