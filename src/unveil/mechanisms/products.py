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
from unveil.mechanisms.bits import all_within, as_block, keep_probability, line
from unveil.types import Array, Floats, as_whole

#: Uniforms that one record consumes: what it releases, and up to three bits.
UNIFORMS = 4
#: Records whose uniforms are drawn at a time, and those whose features are read at a time, to fit the caches.
CHUNK = 1 << 15
BLOCK = 1 << 10


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
    X: Array, y: Array, rng: Generator, alpha: float, upper: float = 1.0, signed: bool = False
) -> ProductBits:
    """Release one or three product bits a record.

    `upper` is the bound c of the products, so entries lie in [0, √c]; with `signed` in [−√c, √c], and a
    product s is released as the share (s + c)/(2c).
    """
    n, d = X.shape
    require(d >= 2, "X must have at least two features: a pair is released")
    require(d <= 1 << 16, "X must have at most 65,536 features")
    require(y.shape == (n,), "y must have one target per row of X")
    top = float(np.sqrt(upper))
    scale = np.array(
        [
            -top if signed else 0.0,
            top,
            *line(keep_probability(alpha), upper, signed),
            *line(keep_probability(alpha / 3), upper, signed),
        ]
    )
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
        require(within, f"X and y must lie in [{scale[0]:g}, {top:g}]: their products are shares of upper")
    return ProductBits(first, second, bits, d)


def debias_products(
    released: ProductBits, alpha: float, upper: float = 1.0, signed: bool = False, counts: str = "auto"
) -> ProductMoments:
    """E[xxᵀ] and E[x·y] from product bits.

    `counts` says by what the debiased sums are divided. The "expected" number of releases of each product gives
    β_cr and is unbiased; the "realised" number has less variance but needs every product to have been released;
    "auto" takes the realised number where it can.
    """
    require(counts in ("auto", "expected", "realised"), 'counts must be "auto", "expected" or "realised"')
    d, n = released.dimension, len(released.first)
    ones, seen = _tally(released)
    if counts == "expected" or (counts == "auto" and (seen == 0).any()):
        share = np.full((d, d + 1), 1 / (d * (d - 1)))
        share[np.arange(d), np.arange(d)] = 1 / d
        share[:, d] = 1 / (2 * d)
        divisor = n * share
    else:
        divisor = seen
        require((seen > 0).all(), 'counts must be "expected" where some product was never released')
    values = np.empty((d, d + 1))
    for columns, level in ((slice(0, d), alpha / 3), (slice(d, d + 1), alpha)):
        low, slope = line(keep_probability(level), upper, signed)
        values[:, columns] = (ones[:, columns] - low * seen[:, columns]) / slope / divisor[:, columns]
    return ProductMoments(values[:, :d], values[:, d])


def empty_tallies(d: int) -> tuple[Array, Array]:
    """How often each outcome came, of nothing: (d, 2) of x_i·y, and (d(d − 1)/2, 8) of the pairs i < j."""
    return np.zeros((d, 2), dtype=np.int64), np.zeros((d * (d - 1) // 2, 8), dtype=np.int64)


@njit(cache=True)
def tally(first: Array, second: Array, bits: Array, targets: Array, pairs: Array) -> None:
    """Count the outcomes of records into `targets` and `pairs`: the sums are kept, the records are not."""
    d = len(targets)
    for r in range(len(bits)):
        i, j, seen = np.int64(first[r]), np.int64(second[r]), np.int64(bits[r])
        if i == j:
            targets[i, seen & 1] += 1
            continue
        if i > j:
            # A pair that came the other way round: its squares change places.
            i, j, seen = j, i, (seen & 1) | (seen & 2) << 1 | (seen & 4) >> 1
        pairs[i * (2 * d - i - 1) // 2 + j - i - 1, seen] += 1


def _tally(released: ProductBits) -> tuple[Floats, Floats]:
    """How often each product came out as one and was released at all: (d, d + 1), the last column x·y."""
    d = released.dimension
    first, second = (as_whole(factor, "released") for factor in (released.first, released.second))
    target = first == second
    column = np.where(target, d, second)
    pair = ~target
    cells = [first * (d + 1) + column, (first * (d + 2))[pair], (second * (d + 2))[pair]]
    bits = [released.bits & 1, (released.bits[pair] >> 1) & 1, (released.bits[pair] >> 2) & 1]
    size = d * (d + 1)
    seen = np.sum([np.bincount(cell, minlength=size) for cell in cells], axis=0)
    ones = np.sum([np.bincount(cell[bit > 0], minlength=size) for cell, bit in zip(cells, bits, strict=True)], axis=0)
    return _mirrored(ones.reshape(d, d + 1)), _mirrored(seen.reshape(d, d + 1))


def _mirrored(tally: Array) -> Floats:
    """Add the (j, i) releases of a pair to the (i, j) ones."""
    d = len(tally)
    square = tally[:, :d].astype(float)
    both = square + square.T
    both[np.arange(d), np.arange(d)] = np.diagonal(square)
    return np.column_stack([both, tally[:, d]])


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
