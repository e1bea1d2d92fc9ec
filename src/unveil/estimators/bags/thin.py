"""Points most of whose coordinates are zero although they are stored: words in a text, tags of a film.

The product of two of them is made of the few coordinates that neither lacks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from scipy.sparse import csr_array

from unveil.types import Array

#: At most this share of the coordinates is not zero. Beyond some 0.1 a dense product is the faster one.
_SHARE = 0.05


def thinned(points: Array) -> Any:
    """The same points as a sparse matrix in rows where few coordinates are not zero, else None."""
    most = _SHARE * points.size
    entries = _entries(points, most)
    if points.size == 0 or entries > most:
        return None
    starts, columns = np.zeros(len(points) + 1, np.int64), np.empty(entries, np.int64)
    values = np.empty(entries, points.dtype)
    _compress(points, starts, columns, values)
    return csr_array((values, columns, starts), shape=points.shape)


@njit(cache=True)
def _entries(points: Array, most: float) -> int:
    """How many coordinates are not zero; where they are more than `most`, those of the first rows that show it."""
    found = 0
    for i in range(points.shape[0]):
        for j in range(points.shape[1]):
            found += points[i, j] != 0.0
        if found > most:
            break
    return found


@njit(cache=True)
def _compress(points: Array, starts: Array, columns: Array, values: Array) -> None:
    """Fill the three arrays of a sparse matrix."""
    found = 0
    for i in range(points.shape[0]):
        for j in range(points.shape[1]):
            if points[i, j] != 0.0:
                columns[found], values[found] = j, points[i, j]
                found += 1
        starts[i + 1] = found


def thin_products(left: Any, right: Any, out: Array) -> Array:
    """The inner products of points (rows of `left`) with points (columns of `right`), both sparse in rows."""
    _scatter(left.indptr, left.indices, left.data, right.indptr, right.indices, right.data, out)
    return out


@njit(cache=True)
def _scatter(
    starts: Array, columns: Array, values: Array, others: Array, points: Array, factors: Array, out: Array
) -> None:
    """Every coordinate that is not zero adds to the products with the points that have it too."""
    for i in range(len(starts) - 1):
        row = out[i]
        row[:] = 0.0
        for k in range(starts[i], starts[i + 1]):
            value = values[k]
            for m in range(others[columns[k]], others[columns[k] + 1]):
                row[points[m]] += value * factors[m]
