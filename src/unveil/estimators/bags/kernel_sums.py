"""Sums of Gaussian kernels over blocks of pairs, many bandwidths at once, at nearly the cost of a GEMM.

For float32 data a block of inner products is turned into squared distances and at once into kernel values
of all bandwidths, which are summed and forgotten: nothing of the size of the block but the products is ever
stored.

* Halving the bandwidth raises the kernel value to its fourth power, so one exponential serves a chain of
  widths by squaring. Errors double with each squaring: a chain is cut after `_CHAIN` squarings.
* A distance that cancels (two nearly equal points) is computed again from the points: the smallest widths
  see it.
* Widths at which no pair of a row reaches the smallest float are skipped.
* Sums of sixteen rows are kept in float32 and then added in float64.

The loops keep one accumulator a column, so they vectorise without reordering any sum: no fast-math, but that the
polynomial may round once where it would round twice.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from unveil.numerics.exponential import power_of_two
from unveil.types import Array

#: What `plan_widths` says of the bandwidths.
Plan = tuple[Array, Array, Array]
_CHAIN = 6
#: A row is summed in pieces of this many columns, so that all accumulators stay in the first-level cache.
_TILE = 512
_ROWS = 16
#: Below this share of |x|² + |y|² a squared distance is computed again without cancellation.
_CANCELLED = np.float32(1.0 / 32.0)

_FLOOR = np.float32(-125.0)
_ZERO, _TWO = np.float32(0.0), np.float32(2.0)
# What would leave the normal numbers when squared, or squared twice, becomes zero: anything smaller is very slow.
_LEAST_SQUARE, _LEAST_FOURTH = np.float32(2.0**-62), np.float32(2.0**-31)
#: In double precision a chain of 24 squarings keeps eight digits. So many rows of a block stay in the cache.
_CHAIN_DOUBLE, _ROWS_DOUBLE, _TINY = 24, 32, 2.0**-500


@njit(cache=True, fastmath={"contract"})
def _add_power_of_two(squares: Array, factor: float, values: Array, total: Array) -> None:
    """Values = 2^(factor · squares), with `factor` negative, and add them; what would underflow becomes 2^−125."""
    for j in range(len(squares)):
        value = power_of_two(max(squares[j] * factor, _FLOOR))
        values[j] = value
        total[j] += value


@njit(cache=True)
def _exact_squares(x: Array, y: Array) -> float:
    """|x − y|² in double precision, in four interleaved sums."""
    a = b = c = d = 0.0
    n = len(x) - len(x) % 4
    for k in range(0, n, 4):
        a += (np.float64(x[k]) - y[k]) ** 2
        b += (np.float64(x[k + 1]) - y[k + 1]) ** 2
        c += (np.float64(x[k + 2]) - y[k + 2]) ** 2
        d += (np.float64(x[k + 3]) - y[k + 3]) ** 2
    for k in range(n, len(x)):
        a += (np.float64(x[k]) - y[k]) ** 2
    return a + b + c + d


@njit(cache=True)
def _row_squares(products: Array, x2: float, y2: Array, squares: Array) -> np.int32:
    """Squared distances of one point to a tile; returns the bits of the smallest, which order alike."""
    smallest = np.int32(2**31 - 1)
    for j in range(len(squares)):
        square = np.float32(max(x2 + y2[j] - _TWO * products[j], _ZERO))
        squares[j] = square
        smallest = min(smallest, square.view(np.int32))
    return smallest


@njit(cache=True)
def _square_and_add(values: Array, times: int, total: Array) -> None:
    """Square the values so often, and add them; what would become so small that it is slow becomes zero."""
    if times == 2:
        for j in range(len(values)):
            v = values[j] if values[j] > _LEAST_FOURTH else _ZERO
            v = v * v
            v = v * v
            values[j] = v
            total[j] += v
        return
    for _ in range(times):
        for j in range(len(values)):
            v = values[j] if values[j] > _LEAST_SQUARE else _ZERO
            values[j] = v * v
    for j in range(len(values)):
        total[j] += values[j]


@njit(cache=True)
def _add_row(squares: Array, factors: Array, fresh: Array, used: int, values: Array, sums: Array) -> None:
    """Add one row's kernel values of the first `used` widths (widest first) to the running sums."""
    for w in range(used):
        if fresh[w] < 0:
            _add_power_of_two(squares, factors[w], values, sums[w])
        else:
            _square_and_add(values, fresh[w], sums[w])


@njit(cache=True)
def add_block(products: Array, x: Array, y: Array, x2: Array, y2: Array, shift: int, plan: Plan, out: Array) -> None:
    """Add to out[w, j] the sum over the rows x of the kernels with y[j], given the inner products.

    Row i and column i + shift are the same point, whose kernel value is exactly one; a shift out of range
    says that there is none. `plan` comes from `plan_widths`.
    """
    order, factors, fresh = plan
    rows, columns = products.shape
    largest = y2.max()
    for start in range(0, columns, _TILE):
        stop = min(start + _TILE, columns)
        width = stop - start
        squares, values = np.empty(width, np.float32), np.empty(width, np.float32)
        sums, reached = np.zeros((len(factors), width), np.float32), 0
        for i in range(rows):
            smallest = _row_squares(products[i, start:stop], x2[i], y2[start:stop], squares)
            nearest = np.int32(smallest).view(np.float32)
            if nearest < _CANCELLED * (x2[i] + largest):
                for j in range(width):
                    if squares[j] < _CANCELLED * (x2[i] + y2[start + j]):
                        squares[j] = np.float32(_exact_squares(x[i], y[start + j]))
            if start <= i + shift < stop:
                squares[i + shift - start] = _ZERO
                nearest = _ZERO
            used = len(factors)
            while used > 0 and factors[used - 1] * nearest < _FLOOR:
                used -= 1
            reached = max(reached, used)
            _add_row(squares, factors, fresh, used, values, sums)
            if (i + 1) % _ROWS == 0 or i == rows - 1:
                for w in range(reached):
                    target, own = out[order[w], start:stop], sums[w]
                    for j in range(width):
                        target[j] += own[j]
                        own[j] = _ZERO
                reached = 0


def add_block_double(products: Array, x2: Array, y2: Array, shift: int, plan: Plan, out: Array) -> None:
    """`add_block` in double precision, where squaring may go on through all widths."""
    order, factors, fresh = plan
    rows, columns = products.shape
    same = np.arange(max(0, -shift), min(rows, columns - shift))
    for start in range(0, rows, _ROWS_DOUBLE):
        part = slice(start, start + _ROWS_DOUBLE)
        squares = np.maximum(x2[part, None] + y2 - 2.0 * products[part], 0.0)
        here = same[(same >= start) & (same < start + len(squares))]
        squares[here - start, here + shift] = 0.0
        values = squares
        for w, factor in enumerate(factors):
            if fresh[w] < 0:
                values = np.exp(factor * squares)
            for _ in range(fresh[w]):
                values[values < _TINY] = 0.0
                values *= values
            out[order[w]] += values.sum(axis=0)


def plan_widths(bandwidths: Array, kind: type = np.float32) -> Plan:
    """How to go through the widths at this precision: their order (widest first), factors of the exponent, squarings.

    In single precision the exponent is that of two, in double precision of e.
    The third array holds −1 where a fresh exponential is due, else how often the last value is to be squared.
    """
    order = np.argsort(-bandwidths, kind="stable")
    widths = bandwidths[order]
    base = np.log(2.0) if kind == np.float32 else 1.0
    factors: Array = (-1.0 / (2.0 * base * widths**2)).astype(kind)
    longest = _CHAIN if kind == np.float32 else _CHAIN_DOUBLE
    fresh = np.full(len(widths), -1, dtype=np.int64)
    chain = 0
    for k in range(1, len(widths)):
        squarings = 2.0 * np.log2(widths[k - 1] / widths[k])
        steps = round(squarings)
        chain += steps
        if steps >= 1 and abs(squarings - steps) < 1e-12 and chain <= longest:
            fresh[k] = steps
        else:
            chain = 0
    return order, factors, fresh
