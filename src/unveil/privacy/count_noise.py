"""What noise on class counts, and a subsample of the labels, really guarantee when one label changes."""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from unveil.numerics.search import bisect
from unveil.privacy.gaussian import gaussian_delta
from unveil.types import Array

#: One changed label takes one from a count and adds one to another.
L1_SENSITIVITY = 2.0
L2_SENSITIVITY = sqrt(2.0)


def gaussian_count_delta(deviation: float, epsilon: float) -> float:
    """The exact δ of Gaussian noise of this standard deviation on counts (Balle and Wang 2018, theorem 8)."""
    return gaussian_delta(L2_SENSITIVITY / deviation, epsilon)


def gaussian_count_deviation(epsilon: float, delta: float) -> float:
    """The smallest standard deviation with `gaussian_count_delta` at most δ."""

    def excess(log_deviation: float) -> float:
        return gaussian_count_delta(exp(log_deviation), epsilon) - delta

    low, high = -1.0, 1.0
    while excess(low) <= 0:
        low -= 2.0
    while excess(high) > 0:
        high += 2.0
    return exp(bisect(excess, low, high))


def classic_gaussian_deviation(epsilon: float, delta: float) -> float:
    """The textbook deviation √(2 ln(1.25/δ)) Δ₂/ε, proven for ε < 1 (Dwork and Roth 2014, theorem A.1)."""
    return sqrt(2.0 * log(1.25 / delta)) * L2_SENSITIVITY / epsilon


def subsample_delta(counts: ArrayLike, size: int, epsilon: float) -> float:
    """The exact δ of publishing the class counts of `size` members drawn without replacement.

    Moving a member from class i to class j changes the probability of a sample with a of class i and b of
    class j by the factor η_i/(η_i − a) · (η_j + 1 − b)/(η_j + 1): a sum over a and b, the worst over pairs
    and directions.
    """
    values = np.asarray(counts, dtype=float)
    worst = 0.0
    for i, j in {(x, y) for k, x in enumerate(values) for m, y in enumerate(values) if k != m and x >= 1}:
        worst = max(worst, *_subsample_pair(i, j, values.sum(), size, epsilon))
    return worst


def _subsample_pair(from_count: float, to_count: float, total: float, size: int, epsilon: float) -> tuple[float, float]:
    """Both directions of one relabelling."""
    a, b = np.meshgrid(np.arange(size + 1.0), np.arange(size + 1.0), indexing="ij")
    rest = total - from_count - to_count
    here = _log_hypergeometric(a, b, from_count, to_count, rest, size)
    there = _log_hypergeometric(a, b, from_count - 1, to_count + 1, rest, size)
    p, q = np.exp(here), np.exp(there)
    return (float(np.maximum(p - exp(epsilon) * q, 0.0).sum()), float(np.maximum(q - exp(epsilon) * p, 0.0).sum()))


def _log_hypergeometric(a: Array, b: Array, first: float, second: float, rest: float, size: int) -> Array:
    """The log-probability of a of the first and b of the second class in a sample of `size`."""
    others = size - a - b
    possible = (a <= first) & (b <= second) & (others >= 0) & (others <= rest)
    terms = _log_choose(first, a) + _log_choose(second, b) + _log_choose(rest, others)
    return np.where(possible, terms - _log_choose(first + second + rest, np.asarray(float(size))), -np.inf)


def _log_choose(n: float, k: Array) -> Array:
    inside = np.clip(k, 0, n)
    return np.asarray(gammaln(n + 1) - gammaln(inside + 1) - gammaln(n - inside + 1))
