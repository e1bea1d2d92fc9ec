"""The exact (ε, δ) of discrete Gaussian noise on counts of which one label moves (Canonne et al. 2020).

Both changed counts move by one, so that the loss is (1 + z)/σ² with z the sum of two independent draws: at ε the
divergence is δ = P[z > εσ² − 1] − e^ε P[z > εσ² + 1], the same from both sides. Where a record is there or not, one
count moves by one, and the loss is (1 + 2z)/(2σ²) with a single draw z.
"""

from __future__ import annotations

from functools import cache
from math import ceil, sqrt

import numpy as np

from unveil.types import Array

#: Draws beyond so many σ have a probability below 1e-300 in all.
_REACH = 38.0
#: What rounding may take from a δ that is a sum of many probabilities, as a share of it.
_ROUNDING = 1e-9
#: From this variance on a sum over z is taken for an integral; more than what that changes is added as a share.
_CONTINUOUS, _SUMMED = 4_000_000, 1e-4


def difference_law(variance: int) -> Array:
    """P[z] for z from −2r to 2r, the law of the sum of two independent discrete Gaussians, r = ⌈38σ⌉."""
    reach = ceil(_REACH * sqrt(variance))
    # x² + y² = (z² + (x − y)²)/2, and x − y has the parity of z = x + y: P[z] ∝ exp(−z²/(4σ²)) times a sum over the
    # whole numbers of z's parity, without the error that a Fourier transform would leave in the tails.
    total = np.arange(-2 * reach, 2 * reach + 1)
    weights = np.exp(-(total.astype(float) ** 2) / (4.0 * variance))
    by_parity = np.array([weights[total % 2 == parity].sum() for parity in (0, 1)])
    law = weights * by_parity[total % 2]
    return np.asarray(law / law.sum())


def single_law(variance: int) -> Array:
    """P[z] for z from −r to r, r = ⌈38σ⌉."""
    reach = ceil(_REACH * sqrt(variance))
    weights = np.exp(-(np.arange(-reach, reach + 1.0) ** 2) / (2.0 * variance))
    return np.asarray(weights / weights.sum())


def discrete_gaussian_delta(variance: int, epsilon: float, moved: int = 2) -> float:
    """The exact δ at ε where so many counts, one or two, move by one; never too small: rounding is allowed for."""
    if variance > _CONTINUOUS:
        from unveil.privacy.gaussian import gaussian_delta

        return gaussian_delta(sqrt(moved / variance), epsilon) * (1.0 + _SUMMED)
    law = difference_law(variance) if moved == 2 else single_law(variance)
    reach = (len(law) - 1) // 2
    z = np.arange(-reach, reach + 1.0)
    gain = -np.expm1(epsilon - (moved / 2.0 + z) / variance)
    return float((law * np.maximum(gain, 0.0)).sum()) * (1.0 + _ROUNDING)


@cache
def discrete_gaussian_variance(epsilon: float, delta: float, moved: int = 2) -> int:
    """The smallest whole variance with `discrete_gaussian_delta` at most δ."""
    high = 1
    while discrete_gaussian_delta(high, epsilon, moved) > delta:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if discrete_gaussian_delta(middle, epsilon, moved) > delta else (low, middle)
    return high
