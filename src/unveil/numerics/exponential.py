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
    p = _T12 + f * _T13
    p = _T11 + f * p
    p = _T10 + f * p
    p = _T9 + f * p
    p = _T8 + f * p
    p = _T7 + f * p
    p = _T6 + f * p
    p = _T5 + f * p
    p = _T4 + f * p
    p = _T3 + f * p
    p = _T2 + f * p
    p = 1.0 + (f + f * f * p)
    scale = np.int64(np.int64(shifted.view(np.int64) + np.int64(1023)) << np.int64(52))
    return 0.0 if y < _FLOOR else p * scale.view(np.float64)
