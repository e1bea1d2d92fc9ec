"""In how many places each of some rows agrees with each of others."""

from __future__ import annotations

import numba
import numpy as np

from unveil.types import Array


@numba.njit(cache=True)
def agreements(first: Array, second: Array) -> Array:
    """How many entries each row of `first` (m, d) shares with each of `second` (n, d): (m, n)."""
    found = np.empty((len(first), len(second)), np.int32)
    for j in range(len(second)):
        row = second[j]
        for i in range(len(first)):
            other, same = first[i], np.int32(0)
            for k in range(len(row)):
                same += np.int32(other[k] == row[k])
            found[i, j] = same
    return found
