"""The songs protocol: each record releases one product x_i·y, or the three products of one pair of features.

Raghunathan et al. (2016), section 7: i is uniform; with probability ½ one bit of x_i·y at q_α, otherwise j ≠
i is uniform too and x_i², x_i·x_j, x_j² are released as one bit each at q_{α/3}. Nothing of size n × d² is
made.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.random import Generator

from unveil.errors import require
from unveil.mechanisms.bits import all_within, as_block, flip_line
from unveil.types import Array, Floats

#: Uniforms that one record consumes: what it releases, and up to three bits.
UNIFORMS = 4
#: Records whose uniforms are drawn at a time, and those whose features are read at a time, to fit the caches.
CHUNK = 1 << 15
BLOCK = 1 << 10
#: Records that are published at a time: whole chunks, so that batches of any size draw the same.
ROWS = 2 * CHUNK
#: The outcomes of a pair (i, j) as those of (j, i).
TURNED = np.array([0, 1, 4, 5, 2, 3, 6, 7], dtype=np.uint8)


class ProductBits(NamedTuple):
    """What leaves the owner: a record's indices and its bits.

    Where `second` equals `first` the record released the bit of x_first·y; otherwise the bits 1, 2 and 4 of
    `bits` are those of x_first·x_second, x_first² and x_second².
    """

    first: Array
    second: Array
    bits: Array
    dimension: int


class ProductMoments(NamedTuple):
    """Estimates of E[xxᵀ] and E[x·y]."""

    second: Floats
    cross: Floats


def release_products(
    X: Array, y: Array, rng: Generator, keeps: tuple[float, float], upper: float = 1.0, signed: bool = False
) -> ProductBits:
    """Release one or three product bits a record, which survive with these two probabilities.

    `upper` is the bound c of the products, so entries lie in [0, √c]; with `signed` in [−√c, √c], and a
    product s is released as the share (s + c)/(2c).
    """
    n, d = X.shape
    require(d >= 2, "X must have at least two features: a pair is released")
    require(d <= 1 << 16, "X must have at most 65,536 features")
    require(y.shape == (n,), "y must have one target per row of X")
    top = float(np.sqrt(upper))
    low = -top if signed else 0.0
    scale = np.array([low, top, *flip_line(keeps[0], upper, signed), *flip_line(keeps[1], upper, signed)])
    index = np.uint8 if d <= 1 << 8 else np.uint16
    first, second, bits = np.empty(n, index), np.empty(n, index), np.empty(n, np.uint8)
    buffer = np.empty(UNIFORMS * min(CHUNK, n))
    for start in range(0, n, CHUNK):
        rows = slice(start, min(start + CHUNK, n))
        size = rows.stop - start
        uniforms = rng.random(out=buffer[: UNIFORMS * size]).reshape(UNIFORMS, size)
        features = as_block(X[rows])
        target = np.ascontiguousarray(y[rows], dtype=features.dtype)
        within = _release(features, target, uniforms, scale, first[rows], second[rows], bits[rows])
        require(within, f"X and y must lie in [{low:g}, {top:g}]: their products are shares of upper")
    return ProductBits(first, second, bits, d)


def tally_outcomes(released: ProductBits) -> tuple[Array, Array]:
    """How often each outcome came: (d, 2) of x_i·y, and (d(d − 1)/2, 8) of the pairs i < j."""
    first, second, bits, d = released
    i, j = np.minimum(first, second).astype(np.int64, casting="same_kind"), np.maximum(first, second)
    own = first == second
    targets = np.bincount(2 * i[own] + (bits[own] & 1), minlength=2 * d).reshape(d, 2)
    # In a pair that came the other way round the squares change places.
    seen = np.where(first > second, TURNED[bits], bits)
    cells = 8 * (i * (2 * d - i - 1) // 2 + j - i - 1) + seen
    return targets, np.bincount(cells[~own], minlength=4 * d * (d - 1)).reshape(-1, 8)


@njit(cache=True)
def _release(X: Array, y: Array, uniforms: Floats, scale: Floats, first: Array, second: Array, bits: Array) -> bool:
    """Block by block: check the range, which also brings the rows into the cache, then pick, read and flip."""
    within = all_within(y, scale[0], scale[1])
    one, other = np.empty(BLOCK, X.dtype), np.empty(BLOCK, X.dtype)
    for start in range(0, len(X), BLOCK):
        rows = X[start : start + BLOCK]
        part = slice(start, start + len(rows))
        within &= all_within(rows, scale[0], scale[1])
        _pick(uniforms[0, part], X.shape[1], first[part], second[part])
        _read(rows, y[part], first[part], second[part], one, other)
        _flip(uniforms[1:, part], scale, first[part], second[part], one, other, bits[part])
    return within


@njit(cache=True)
def _pick(uniforms: Floats, d: int, first: Array, second: Array) -> None:
    """One uniform decides i, the kind of release, and j ≠ i (j = i stands for the target)."""
    for r in range(len(uniforms)):
        position = uniforms[r] * (2 * d)
        cell = np.int32(position)
        i = cell >> 1
        j = np.int32((position - cell) * (d - 1))
        j += np.int32(j >= i)
        first[r] = i
        second[r] = i if cell & 1 else j


@njit(cache=True)
def _read(X: Array, y: Array, first: Array, second: Array, one: Array, other: Array) -> None:
    """The two factors of each record's product, x_i and x_j or y: the only step that jumps about in memory."""
    for r in range(len(X)):
        i, j = first[r], second[r]
        x_j = X[r, j]
        one[r] = X[r, i]
        other[r] = y[r] if i == j else x_j


@njit(cache=True)
def _flip(uniforms: Floats, scale: Floats, first: Array, second: Array, one: Array, other: Array, bits: Array) -> None:
    """Binarise and flip the product, and for a pair both squares."""
    for r in range(len(bits)):
        is_target = first[r] == second[r]
        a, b = np.float64(one[r]), np.float64(other[r])
        low, slope = (scale[2], scale[3]) if is_target else (scale[4], scale[5])
        middle = np.uint8(uniforms[0, r] < low + slope * (a * b))
        squares = np.uint8(uniforms[1, r] < low + slope * (a * a)) * np.uint8(2)
        squares += np.uint8(uniforms[2, r] < low + slope * (b * b)) * np.uint8(4)
        bits[r] = middle + squares * np.uint8(not is_target)
