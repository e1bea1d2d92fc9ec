"""A hash of rows of numbers at the speed of memory, and one of many rows that can be put together from parts.

It guards against accidents, not against forgers: arithmetic modulo 2⁶⁴, no cryptography. A row's hash is a sum of its
words times odd weights; that of rows r₁ … r_n is Σ B^{n−i}·r_i for two odd B, so that the hash of two pieces, one after
the other, follows from theirs and from how many rows the second has.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from unveil.types import Array

#: The B of the two sums.
BASES = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F)
WORD = 1 << 64
_FIRST, _SECOND = (np.uint64(base) for base in BASES)
_STIR, _FAR, _NEAR = np.uint64(0xBF58476D1CE4E5B9), np.uint64(47), np.uint64(31)


def weights(columns: int) -> Array:
    """An odd number a column, by splitmix64."""
    z = np.arange(1, columns + 1, dtype=np.uint64) * _FIRST
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        z = (z ^ (z >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(z ^ (z >> _NEAR) | np.uint64(1))


@njit(cache=True)
def hash_rows(rows: Array, columns: Array, state: Array) -> None:
    """Go on with `state` over some rows; `columns` are their weights."""
    doubles = np.empty(rows.shape[1])
    words = doubles.view(np.uint64)
    for r in range(len(rows)):
        for j in range(rows.shape[1]):
            doubles[j] = rows[r, j] + 0.0  # no negative zeros
        go_on(words, columns, state)


@njit(cache=True)
def go_on(words: Array, columns: Array, state: Array) -> None:
    """One more row, as the bits of its doubles."""
    total = np.uint64(0)
    for j in range(len(words)):
        # The low bits of round numbers are all zero: the high ones are brought down.
        total += (words[j] ^ (words[j] >> _FAR)) * columns[j]
    total = (total ^ (total >> _NEAR)) * _STIR
    total ^= total >> _NEAR
    state[0] = state[0] * _FIRST + total
    state[1] = state[1] * _SECOND + total
