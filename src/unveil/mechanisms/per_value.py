"""Per-value φ-RR: every binarised statistic is flipped on its own (Raghunathan et al. 2016, section 3.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numba import njit
from numpy.random import Generator
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.mechanisms.bits import (
    all_within,
    as_block,
    as_matrix,
    entry_noise,
    flip_line,
    keep_probability,
    worst_log_ratios,
)
from unveil.mechanisms.product_mechanism import ProductMechanism
from unveil.numerics.products import number_of_products, products
from unveil.types import Array, Floats, as_array

#: Bits handled at a time: their uniforms stay in the cache.
CHUNK = 1 << 15
#: numpy's float32 uniforms are multiples of this.
GRAIN = 2.0**-24
#: Statistics that are published at a time.
BATCH = 1 << 22


@dataclass(frozen=True)
class PerValueRelease(ProductMechanism):
    """Release every statistic as one bit that survives with probability q at α/δ̄.

    Per-value φ-RR of Raghunathan et al. (2016), section 3.2. For simulation only.

    Parameters
    ----------
    alpha : float
        The privacy level that the paper claims; `inf` binarises without flips.
    delta_bar : float
        At least the largest number of ones that a binarised record can have, which is its number of non-zero
        statistics (appendix A.2 prints the bound the wrong way round).
    upper : float
        The bound c: statistics lie in [0, c].

    Examples
    --------
    >>> from numpy.random import default_rng
    >>> from unveil import PerValueRelease
    >>> stats = default_rng(0).random((2000, 3)) * [1.0, 0.5, 0.2]
    >>> veil = PerValueRelease(12.0, delta_bar=3)
    >>> released = veil.release(stats, default_rng(1))
    >>> released[:2]
    array([[ True, False, False],
           [False,  True,  True]])
    >>> (veil.debias(released, total=True) / 2000).round(2)  # the true means are .50, .25 and .10
    array([0.51, 0.25, 0.09])
    >>> veil.claimed_epsilon, veil.tight_epsilon(dimension=3)
    (12.0, 6.0)

    Regression from the products of two features and a target, five statistics a record:

    >>> from unveil import MomentRegression
    >>> X = default_rng(0).random((100_000, 2))
    >>> release = PerValueRelease(10.0, delta_bar=5).publish((X, X @ [0.7, 0.2]), default_rng(1))
    >>> MomentRegression().fit(release).coef_.round(1)
    array([0.7, 0.2])
    """

    rows: ClassVar[int] = BATCH // 128

    alpha: float
    delta_bar: float
    upper: float = 1.0

    def _check_parameters(self) -> None:
        require(self.alpha > 0, "alpha must be positive")
        require(0 < self.delta_bar < np.inf, "delta_bar must be positive and finite")
        require(0 < self.upper < np.inf, "upper must be positive and finite")

    @property
    def keep(self) -> float:
        """The probability q at α/δ̄ that a bit survives."""
        return keep_probability(self.alpha / self.delta_bar)

    def tight_epsilon(self, dimension: int, delta: float | None = None) -> float:
        """α min(d, 2δ)/(2δ̄), the exact level when records have up to δ ones (δ̄ by default) among d."""
        require(dimension >= 1, "dimension must be at least 1")
        ones = np.floor(self.delta_bar if delta is None else delta)
        require(ones >= 1, "delta must be at least 1: the largest number of ones in a record")
        require(ones <= self.delta_bar, "delta must not exceed delta_bar")
        return float(self.alpha * min(dimension, 2 * ones) / (2 * self.delta_bar))

    def level_between(self, statistics: ArrayLike) -> float:
        """The exact level when the only possible records are the rows of `statistics`.

        The bits are independent, so the worst vector for a pair of rows is the worst bit of every coordinate.
        """
        return float(worst_log_ratios(statistics, self.upper, self.keep).sum(axis=-1).max())

    def release(self, stats: ArrayLike, rng: Generator) -> Array:
        """Binarise and flip in one comparison: (n, d) statistics in [0, c] become (n, d) bits."""
        rows = as_matrix(as_array(stats, "stats"), "stats")
        n, d = rows.shape
        released = np.empty((n, d), dtype=np.bool_)
        step = max(1, CHUNK // d)
        buffer = np.empty(step * d, dtype=np.float32)
        scale = np.array([*flip_line(self.keep, self.upper, signed=False), self.upper])
        for start in range(0, n, step):
            chunk = as_block(rows[start : start + step])
            uniforms = rng.random(dtype=np.float32, out=buffer[: chunk.size])
            bits = released[start : start + step].reshape(-1)
            within, ties = _flip(chunk.reshape(-1), uniforms, scale, bits)
            require(within, "stats must lie in [0, upper]: binarisation needs a share of upper")
            require(
                _most_nonzero(chunk) <= self.delta_bar,
                "delta_bar must be at least the largest number of non-zero statistics in a record",
            )
            if ties:
                _break_ties(chunk.reshape(-1), uniforms, scale, rng.random(ties), bits)
        return released

    def _tally(self, X: Array, y: Array, source: Generator, signed: bool) -> dict[str, Array]:
        """How often each of d(d + 1)/2 + d bits, and each two of them, are one."""
        top = float(np.sqrt(self.upper))
        low = -top if signed else 0.0
        within = all_within(X, low, top) and all_within(y, low, top)
        require(within, f"X and y must lie in [{low:g}, {top:g}]: their products are shares of upper")
        number = number_of_products(X.shape[1])
        ones, both, step = np.zeros(number), np.zeros((number, number)), max(1, BATCH // number)
        for start in range(0, len(X), step):
            statistics = products(X[start : start + step], y[start : start + step])
            # A signed product s stands for the share (s + c)/2 of c.
            bits = self.release((statistics + self.upper) / 2 if signed else statistics, source)
            # Whole numbers up to 2^24, and so all counts within a batch, are exact in single precision.
            shown = bits.astype(np.float32)
            ones += shown.sum(axis=0)
            both += shown.T @ shown
        return {"ones": ones, "both": both}

    def _levels(self, d: int) -> tuple[float, float]:
        number = number_of_products(d)
        return self.alpha, self.tight_epsilon(number, min(self.delta_bar, number))

    def _public(self, d: int, signed: bool) -> dict[str, float]:  # noqa: ARG002 - whatever it is
        low, slope = flip_line(self.keep, self.upper, signed)
        noise = entry_noise(1, self.keep, 2 * self.upper if signed else self.upper)
        return {"low": low, "slope": slope, "noise_of_one": noise}

    def debias(self, released: ArrayLike, total: bool = False) -> Floats:
        """β of (9): rows (n, d), or their sum (d,), unbiased for the statistics."""
        bits = as_array(released, "released")
        require(bits.ndim == 2 and bits.dtype == np.bool_, "released must hold bits of shape (n, d)")
        signal = (2 * self.keep - 1) / self.upper
        if total:
            return np.asarray((np.count_nonzero(bits, axis=0) - len(bits) * (1 - self.keep)) / signal)
        return np.where(bits, self.keep / signal, (self.keep - 1) / signal)


@njit(cache=True)
def _flip(stats: Array, uniforms: Array, scale: Floats, bits: Array) -> tuple[bool, int]:
    """Set bits[i] where a uniform lies below low + slope·stats[i]; count the ties.

    A float32 uniform says only which grain of 2⁻²⁴ a real uniform would lie in. That settles the bit unless
    the threshold lies in the same grain, a tie; then one more uniform must, and probabilities stay exact in
    double precision.
    """
    low, slope, upper = scale[0] / GRAIN, scale[1] / GRAIN, scale[2]
    outside, ties = np.int32(0), np.int32(0)
    for i in range(len(stats)):
        share = np.float64(stats[i])
        outside |= np.int32(not ((share >= 0.0) & (share <= upper)))
        grain = np.float64(uniforms[i]) / GRAIN
        threshold = low + slope * share
        below = grain + 1.0 <= threshold
        bits[i] = below
        ties += np.int32((grain < threshold) & (not below))
    return bool(outside == 0), int(ties)


def _break_ties(stats: Array, uniforms: Array, scale: Floats, spare: Floats, bits: Array) -> None:
    """Settle each tie, in their order, by one of the `spare` uniforms."""
    low, slope = scale[0] / GRAIN, scale[1] / GRAIN
    grain, threshold = uniforms.astype(float) / GRAIN, low + slope * stats.astype(float)
    tied = (grain < threshold) & (threshold < grain + 1.0)
    bits[tied] = grain[tied] + spare < threshold[tied]


@njit(cache=True)
def _most_nonzero(rows: Array) -> int:
    most = 0
    for r in range(rows.shape[0]):
        count = 0
        for c in range(rows.shape[1]):
            count += int(rows[r, c] != 0)
        most = max(most, count)
    return most
