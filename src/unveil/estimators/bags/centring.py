"""Points around their mean: distances do not change with the origin, but smaller norms cancel less."""

from __future__ import annotations

import numpy as np
from numba import njit

from unveil.types import Array


def centred(points: Array, starts: Array) -> tuple[Array, Array]:
    """Points of sets that begin at `starts`, around the mean of all, and their squared norms; their memory is reused.

    Coordinates that are the same everywhere, like the edge of an image, say nothing of any distance: they are left out.
    """
    sums, low, high = _columns(points, starts)
    moving = np.flatnonzero(high > low)
    centre = (sums / len(points))[moving].astype(points.dtype)
    out = points.reshape(-1)[: len(points) * len(moving)].reshape(len(points), len(moving))  # fresh memory is slow
    squares = np.empty(len(points), points.dtype)
    _shift(points, moving, centre, out, squares)
    return out, squares


@njit(cache=True)
def _columns(points: Array, starts: Array) -> tuple[Array, Array, Array]:
    """The sum of each column, in double precision and set by set, its least entry and its greatest."""
    sums, own = np.zeros(points.shape[1]), np.zeros(points.shape[1])
    low, high = points[0].copy(), points[0].copy()
    for k in range(len(starts) - 1):
        own[:] = 0.0
        for i in range(starts[k], starts[k + 1]):
            for j in range(points.shape[1]):
                value = points[i, j]
                own[j] += value
                low[j] = min(low[j], value)
                high[j] = max(high[j], value)
        for j in range(points.shape[1]):
            sums[j] += own[j]
    return sums, low, high


@njit(cache=True)
def _shift(points: Array, columns: Array, centre: Array, out: Array, squares: Array) -> None:
    """Fill `out` with some columns less their centre, and the squared norms.

    The rows may begin where those of the points do, one after the other: each is read before it is written over.
    """
    count = len(columns)
    fours, row = count - count % 4, np.empty(count, points.dtype)
    for i in range(len(points)):
        for k in range(count):
            row[k] = points[i, columns[k]]
        for k in range(count):
            row[k] -= centre[k]
            out[i, k] = row[k]
        a = b = c = d = 0.0
        for k in range(0, fours, 4):  # four interleaved sums, in double precision
            a += np.float64(row[k]) ** 2
            b += np.float64(row[k + 1]) ** 2
            c += np.float64(row[k + 2]) ** 2
            d += np.float64(row[k + 3]) ** 2
        for k in range(fours, count):
            a += np.float64(row[k]) ** 2
        squares[i] = a + b + c + d
