"""The exact (ε, δ) of Gaussian noise: two normal laws' hockey-stick divergence (Balle and Wang 2018, theorem 8)."""

from __future__ import annotations

from math import exp, inf

import numpy as np
from scipy.special import log_ndtr

from unveil.errors import require
from unveil.privacy.channels import smallest_epsilon


def gaussian_delta(shift: float, epsilon: float) -> float:
    """δ at `epsilon` where the two means lie `shift` standard deviations apart."""
    require(0 < shift < inf, "shift must be positive and finite")
    here = float(log_ndtr(shift / 2 - epsilon / shift))
    there = epsilon + float(log_ndtr(-shift / 2 - epsilon / shift))
    # exp(here) − exp(there), without subtracting two nearly equal numbers.
    return float(exp(here) * -np.expm1(min(there - here, 0.0)))


def gaussian_epsilon(shift: float, delta: float) -> float:
    """The smallest ε with `gaussian_delta` at most δ."""
    require(0 < delta < 1, "delta must lie in (0, 1): at 0 Gaussian noise has no finite ε")
    return smallest_epsilon(lambda epsilon: gaussian_delta(shift, epsilon), delta, highest=inf, accuracy=1e-10)
