"""What the structured mechanisms share: keep probabilities, levels and range checks.

Raghunathan et al. (2016), section 3.2: a statistic in [0, c] becomes a bit with mean φ/c, and the bit
survives with probability q_t = e^{t/2}/(1 + e^{t/2}). Both happen in one comparison, because the released
bit is one with probability (1 − q) + (2q − 1)φ/c.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numba import njit
from numpy.typing import ArrayLike
from scipy.special import expit

from unveil.errors import require
from unveil.mechanisms.batches import Data, cut_batches
from unveil.types import Array, Floats


def keep_probability(t: float) -> float:
    """q_t, the probability that a bit survives; one only for t = ∞."""
    require(t > 0, "alpha must be positive")
    require(t > 1e-12, "alpha must be larger: below 1e-12 a bit tells nothing in double precision")
    # In double precision q_t rounds to one from t = 75 on, which would promise what no finite t gives up.
    return 1.0 if np.isinf(t) else min(float(expit(t / 2)), 1 - 2.0**-53)


def worst_log_ratios(statistics: ArrayLike, upper: float, keep: float) -> Floats:
    """The largest ln P(bit)/P'(bit) of each statistic over both bits, for every two of n records: (n, n, d)."""
    rows = as_matrix(np.asarray(statistics, dtype=float), "statistics") / upper
    chances = 1 - keep + (2 * keep - 1) * rows
    ones, others = chances[:, None], chances[None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.log([ones / others, (1 - ones) / (1 - others)])
    # 0/0: an outcome that neither can produce tells nothing.
    return np.asarray(np.where(np.isnan(ratios), -np.inf, ratios).max(axis=0))


def flip_line(keep: float, upper: float, signed: bool) -> tuple[float, float]:
    """(low, slope) such that a statistic s is released as one with probability low + slope·s.

    Statistics lie in [0, c]; signed ones in [−c, c], and s is released as the share (s + c)/(2c).
    """
    return (0.5, (2 * keep - 1) / (2 * upper)) if signed else (1 - keep, (2 * keep - 1) / upper)


def entry_noise(effective_n: float, keep: float, width: float = 1.0) -> float:
    """σ = width/(2√n_eff (2q − 1)): the largest standard deviation of a mean of n_eff debiased bits.

    `width` is the length of the interval that the statistics lie in: c, or 2c for signed ones.
    """
    require(effective_n > 0, "effective_n must be positive: how often the scarcest statistic is released")
    require(0.5 < keep <= 1, "keep must lie in (1/2, 1]")
    return float(width / (2 * np.sqrt(effective_n) * (2 * keep - 1)))


def cut_products(data: Data, upper: float, intercept: bool, rows: int) -> Iterator[tuple[Array, Array]]:
    """Features, with the constant √c where an intercept is wanted, and target, so many `rows` at a time."""
    for X, y in cut_batches(data, rows):
        require(y.dtype.kind in "fiub", "y must hold real numbers")
        features = as_block(X)
        constant = np.full(len(features), np.sqrt(upper)) if intercept else None
        yield (
            features if constant is None else np.column_stack([features, constant]),
            np.ascontiguousarray(y, dtype=float),
        )


def as_matrix(stats: Array, name: str) -> Array:
    """`stats` as a two-dimensional array of numbers, never copied."""
    rows = np.asarray(stats)
    require(rows.ndim == 2 and rows.shape[1] > 0, f"{name} must have shape (n, d)")
    require(rows.dtype.kind in "fiub", f"{name} must hold real numbers")
    return rows


def as_block(rows: Array) -> Array:
    """A few rows as a contiguous block of floats, as the kernels read them."""
    return np.ascontiguousarray(rows, dtype=rows.dtype if rows.dtype in (np.float32, np.float64) else np.float64)


@njit(cache=True)
def all_within(values: Array, low: float, high: float) -> bool:
    """Whether every value lies in [low, high]; NaN does not. A pass at the speed of memory."""
    flat = values.reshape(-1)
    outside = np.int32(0)
    lowest, highest = flat.dtype.type(low), flat.dtype.type(high)
    for i in range(len(flat)):
        outside |= np.int32(not ((flat[i] >= lowest) & (flat[i] <= highest)))
    return bool(outside == 0)
