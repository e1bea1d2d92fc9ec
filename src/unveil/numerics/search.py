"""Roots and minima of functions of one variable, without the weight of an optimisation library at import."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

#: The golden section: each step keeps this share of the interval.
GOLDEN = (sqrt(5.0) - 1.0) / 2.0
#: Ends so close are one number: of their size, where that is above one.
CLOSE = 1e-14


def bisect(function: Callable[[float], float], low: float, high: float) -> float:
    """The argument between `low` and `high` at which the sign changes, from the side of `high`."""
    sign = function(high) > 0
    while high - low > CLOSE * max(abs(low), abs(high), 1.0):
        middle = 0.5 * (low + high)
        if (function(middle) > 0) == sign:
            high = middle
        else:
            low = middle
    return high


def lowest(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that falls and then rises is least: golden section."""
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = function(left), function(right)
    for _ in range(60):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = function(right)
    return left if at_left <= at_right else right
