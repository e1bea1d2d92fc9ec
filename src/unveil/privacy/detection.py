"""Limits of a probability from counts (Clopper and Pearson 1934), and what an audit of so many samples would have seen.

The latter exactly, for the two leaks that are easiest to think of. Both are events that the audit is supposed to look
at: what it misses for want of samples, whatever the score. An event that no score finds is missed at any size.
"""

from __future__ import annotations

from math import exp, inf

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv
from scipy.stats import binom

from unveil.errors import require
from unveil.numerics.search import bisect
from unveil.types import Floats

#: "Would have been seen" means: with this probability.
POWER = 0.95
#: The event of the detection limit has this probability under the law that makes it likelier.
COMMON = 0.5
#: Beyond this ε the rarer law of a common event is zero for all that samples can tell.
_HIGHEST = 60.0


def lower_limit(hits: ArrayLike, n: int, error: float) -> Floats:
    """The probability is at least this, except with probability `error` at most; `hits` of `n` element by element."""
    require(n >= 1, "n must be at least 1")
    require(0 < error < 1, "error must lie strictly between 0 and 1")
    k = np.asarray(hits, dtype=float)
    require(bool(((k >= 0) & (k <= n)).all()), "hits must lie between 0 and n")
    with np.errstate(invalid="ignore"):
        limit = betaincinv(k, n - k + 1, error)
    return np.asarray(np.where(k == 0, 0.0, limit))


def upper_limit(hits: ArrayLike, n: int, error: float) -> Floats:
    """The probability is at most this, except with probability `error` at most."""
    return 1 - lower_limit(n - np.asarray(hits), n, error)


def detection_limit(n: int, delta: float, error: float) -> float:
    """The smallest ε that is seen (a bound above 0) with 95 %, for an event of probability one half; ∞ if none is.

    The event has the probability ½ under one law and (½ − δ)e^(−ε) under the other; it is counted `n` times for each,
    and either limit may fail with probability `error`.
    """
    if delta >= COMMON:
        return inf
    spread = 10 * np.sqrt(n / 4) + 10
    hits = np.arange(max(int(n / 2 - spread), 0), min(int(n / 2 + spread), n) + 1)
    chances = binom.pmf(hits, n, COMMON)
    at_least = lower_limit(hits, n, error) - delta
    # The upper limit at k misses lies below p exactly where P[Bin(n, p) ≤ k] < error.
    most = np.where(at_least > 0, binom.ppf(error, n, np.maximum(at_least, 0.0)) - 1, -1)

    def power(epsilon: float) -> float:
        return float(chances @ binom.cdf(most, n, (COMMON - delta) * exp(-epsilon))) - POWER

    return inf if power(_HIGHEST) < 0 else bisect(power, 0.0, _HIGHEST)


def smallest_leak(n: int, delta: float, error: float) -> float:
    """The smallest probability of an event that one law alone has, and that is seen with 95 %; ∞ if none is."""
    needed = float(upper_limit(0, n, error)) + delta
    if float(lower_limit(n, n, error)) <= needed:
        return inf
    # The lower limit at k hits lies above p exactly where P[Bin(n, p) ≥ k] < error.
    fewest = int(binom.isf(error, n, needed)) + 1
    return float(betaincinv(fewest, n - fewest + 1, POWER))
