"""Gaussian input noise: its law, its exact (ε, δ), its errors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import default_rng
from scipy import stats

from refusals import refused
from unveil.mechanisms.gaussian_noise import GaussianInputNoise
from unveil.privacy.gaussian import gaussian_delta, gaussian_epsilon


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_noise_has_the_declared_law(kind: type) -> None:
    released = GaussianInputNoise(0.3).release(np.full((1000, 200), 0.5, dtype=kind), default_rng(1))
    assert released.dtype == kind
    assert stats.kstest((released.ravel() - 0.5) / math.sqrt(0.3), "norm").pvalue > 1e-6


@given(st.floats(0.01, 10), st.floats(0.01, 30), st.floats(1e-9, 0.5))
def test_levels_are_those_of_the_distance_in_deviations(variance: float, distance: float, delta: float) -> None:
    """Both are held against the integral where they are computed."""
    veil, shift = GaussianInputNoise(variance), distance / math.sqrt(variance)
    assert veil.epsilon(delta, distance) == pytest.approx(gaussian_epsilon(shift, delta), rel=1e-9)
    assert veil.delta(delta, distance) == pytest.approx(gaussian_delta(shift, delta), rel=1e-9)


test_bad_arguments = refused(
    *((GaussianInputNoise, variance, "variance") for variance in (-1.0, math.inf, math.nan)),
    (lambda: GaussianInputNoise(0.1).release([[np.nan]], default_rng(0)), "finite"),
    (lambda: GaussianInputNoise(0.1).release([["a"]], default_rng(0)), "numbers"),
    (lambda: GaussianInputNoise(0.1).epsilon(0.0, 1.0), "delta"),
    (lambda: GaussianInputNoise(0.1).delta(1.0, 0.0), "distance"),
    (lambda: GaussianInputNoise(0.0).delta(1.0, 1.0), "variance"),
)
