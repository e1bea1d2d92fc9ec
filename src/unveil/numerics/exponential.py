"""The exponential without a call or a branch, so that compiled loops of it become vector instructions."""

from __future__ import annotations

from math import factorial

import numpy as np
from numba import njit

_LOG2_E = 1.0 / np.log(2.0)
#: ln 2 in two parts, the first with so few bits that its product with a whole number up to 2¹¹ is exact.
_LN2_HIGH, _LN2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10
#: Adding it to a number rounds this to a whole one, which its last bits then hold.
_MAGIC = 1.5 * 2.0**52
#: Below this the exponential is less than the smallest normal number.
_FLOOR = -708.0
#: The same in single precision. Where it is cut off, squares are still normal numbers.
_S_LOG2_E, _S_LN2_HIGH, _S_LN2_LOW = np.float32(_LOG2_E), np.float32(0.693359375), np.float32(-2.12194440e-4)
_S_MAGIC, _S_FLOOR, _S_ONE, _S_ZERO = np.float32(1.5 * 2.0**23), np.float32(-40.0), np.float32(1), np.float32(0)
#: 2^f on [−1/2, 1/2], a fit at Chebyshev's nodes: off by 2e-8 at most.
_NODES = np.cos(np.pi * (np.arange(7) + 0.5) / 7.0) / 2.0
_P = tuple(np.float32(c) for c in np.linalg.solve(np.vander(_NODES, increasing=True), 2.0**_NODES))
_P0, _P1, _P2, _P3, _P4, _P5, _P6 = _P
(_S2, _S3, _S4, _S5, _S6, _S7) = (np.float32(1.0 / factorial(n)) for n in range(2, 8))
(_T2, _T3, _T4, _T5, _T6, _T7, _T8, _T9, _T10, _T11, _T12, _T13) = (1.0 / factorial(n) for n in range(2, 14))


@njit(inline="always")
def exponential(y: float) -> float:
    """Exp(y) in double precision, to 4e-16 of itself, where y is at most 700; what is below 1e-307 becomes zero.

    It is 2ⁿ times Taylor's series.
    """
    x = _FLOOR if y < _FLOOR else y
    shifted = np.float64(x * _LOG2_E + _MAGIC)
    n = shifted - _MAGIC
    f = (x - n * _LN2_HIGH) - n * _LN2_LOW
    p = _T8 + f * (_T9 + f * (_T10 + f * (_T11 + f * (_T12 + f * _T13))))
    p = _T2 + f * (_T3 + f * (_T4 + f * (_T5 + f * (_T6 + f * (_T7 + f * p)))))
    p = 1.0 + (f + f * f * p)
    scale = np.int64(np.int64(shifted.view(np.int64) + np.int64(1023)) << np.int64(52))
    return 0.0 if y < _FLOOR else p * scale.view(np.float64)


@njit(inline="always")
def single_exponential(y: np.float32) -> np.float32:
    """Exp(y) in single precision, to 2e-7 of itself, where y is at most 80; what is below 4e-18 becomes zero."""
    x = _S_FLOOR if y < _S_FLOOR else y
    shifted = np.float32(x * _S_LOG2_E + _S_MAGIC)
    n = shifted - _S_MAGIC
    f = (x - n * _S_LN2_HIGH) - n * _S_LN2_LOW
    p = _S2 + f * (_S3 + f * (_S4 + f * (_S5 + f * (_S6 + f * _S7))))
    p = _S_ONE + (f + f * f * p)
    scale = np.int32(np.int32(shifted.view(np.int32) + np.int32(127)) << np.int32(23))
    return _S_ZERO if y < _S_FLOOR else np.float32(p * scale.view(np.float32))


@njit(inline="always")
def power_of_two(y: np.float32) -> np.float32:
    """2^y in single precision, for y between −125 and 126."""
    shifted = y + _S_MAGIC
    f = y - (shifted - _S_MAGIC)
    p = _P0 + f * (_P1 + f * (_P2 + f * (_P3 + f * (_P4 + f * (_P5 + f * _P6)))))
    scale = np.int32(np.int32(np.int32(shifted - _S_MAGIC) + np.int32(127)) << np.int32(23))
    # Exact, so that it is the same number whether a sum is fused with it or not.
    return np.float32(p * scale.view(np.float32))
