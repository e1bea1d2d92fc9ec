"""Products of features and target as one vector of statistics: the upper triangle of xxᵀ, then x·y.

Where a record shows one bit of x_i·y, or three of a pair i < j, what is counted are the outcomes 0 and 1 of every i,
and the eight outcomes of every pair, whose bits 1, 2 and 4 are those of x_i·x_j, x_i² and x_j².
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unveil.errors import require
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


class Debiased(NamedTuple):
    """Means of the statistics, the numbers of records that they were divided by, and whether these were counted."""

    means: Floats
    divisor: Floats
    realised: bool


def pair_places(d: int) -> list[Array]:
    """Where among the statistics x_i·x_j, x_i² and x_j² of each pair i < j stand."""
    i, j = np.triu_indices(d, 1)
    rows, columns = np.triu_indices(d)
    place = np.zeros((d, d), dtype=np.int64)
    place[rows, columns] = np.arange(len(rows))
    return [place[i, j], place[i, i], place[j, j]]


def debias_outcomes(targets: Array, pairs: Array, values: tuple[Floats, Floats], counts: str = "auto") -> Debiased:
    """The means from outcomes (d, 2) and (d(d − 1)/2, 8); `values` is what a bit of x_i·y, and of a pair, stands for.

    They are divided by the "expected" number of records that show a statistic, which is unbiased; by the "realised"
    one, which has less variance but needs every statistic to have been shown; or, "auto", by the latter where it can.
    """
    require(counts in ("auto", "expected", "realised"), 'counts must be "auto", "expected" or "realised"')
    d, (target, pair) = len(targets), values
    rows, columns = np.triu_indices(d)
    seen, sums = np.zeros(len(rows) + d), np.zeros(len(rows) + d)
    for bit, group in enumerate(pair_places(d)):
        np.add.at(seen, group, pairs.sum(axis=1))
        np.add.at(sums, group, pairs @ pair[(np.arange(8) >> bit) & 1])
    seen[len(rows) :], sums[len(rows) :] = targets.sum(axis=1), targets @ target
    realised = counts != "expected" and bool((seen > 0).all())
    require(realised or counts != "realised", 'counts must be "expected" where some product was never released')
    share = np.concatenate([np.where(rows == columns, 1 / d, 1 / (d * (d - 1) / 2) / 2), np.full(d, 1 / (2 * d))])
    divisor = seen if realised else (int(targets.sum()) + int(pairs.sum())) * share
    return Debiased(sums / divisor, divisor, realised)


def residual_slopes(inverse: Floats, weights: Floats) -> Floats:
    """How P (c − S w) moves with each statistic, P and w held: one row a weight, one column a statistic."""
    rows, columns = np.triu_indices(len(weights))
    twice = inverse[:, columns] * weights[rows]
    slopes = inverse[:, rows] * weights[columns] + np.where(rows == columns, 0.0, twice)
    return np.concatenate([-slopes, inverse], axis=1)
