"""Confidence limits of a probability that an event was counted for: Clopper and Pearson (1934)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv

from unveil.errors import require
from unveil.types import Floats


def lower_limit(hits: ArrayLike, n: int, error: float) -> Floats:
    """The probability is at least this, except with probability `error` at most; `hits` of `n` element by element."""
    k = _check_hits(hits, n, error)
    with np.errstate(invalid="ignore"):
        limit = betaincinv(k, n - k + 1, error)
    result: Floats = np.where(k == 0, 0.0, limit)
    return result


def upper_limit(hits: ArrayLike, n: int, error: float) -> Floats:
    """The probability is at most this, except with probability `error` at most."""
    return 1 - lower_limit(n - np.asarray(hits), n, error)


def _check_hits(hits: ArrayLike, n: int, error: float) -> Floats:
    require(n >= 1, "n must be at least 1")
    require(0 < error < 1, "error must lie strictly between 0 and 1")
    k = np.asarray(hits, dtype=float)
    require(bool(((k >= 0) & (k <= n)).all()), "hits must lie between 0 and n")
    return k
