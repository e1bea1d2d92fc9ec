"""Gaussian input noise: its law, its exact (ε, δ), its errors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import default_rng
from scipy import integrate, stats

from refusals import refused
from unveil.mechanisms.gaussian_noise import GaussianInputNoise
from unveil.privacy.gaussian import gaussian_epsilon


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_noise_has_the_declared_law(kind: type) -> None:
    released = GaussianInputNoise(0.3).release(np.full((1000, 200), 0.5, dtype=kind), default_rng(1))
    assert released.dtype == kind
    assert stats.kstest((released.ravel() - 0.5) / math.sqrt(0.3), "norm").pvalue > 1e-6


@pytest.mark.parametrize(("variance", "distance", "epsilon"), [(0.1, 1.0, 2.0), (0.5, 1.0, 0.3), (2.0, 0.5, 0.0)])
def test_delta_matches_the_integral(variance: float, distance: float, epsilon: float) -> None:
    near, far = stats.norm(distance, math.sqrt(variance)), stats.norm(0, math.sqrt(variance))
    edge = distance / 2 + epsilon * variance / distance
    exact, _ = integrate.quad(lambda x: near.pdf(x) - math.exp(epsilon) * far.pdf(x), edge, edge + 40)
    assert GaussianInputNoise(variance).delta(epsilon, distance) == pytest.approx(exact, rel=1e-8)


@given(st.floats(0.01, 10), st.floats(0.01, 30), st.floats(1e-9, 0.5))
def test_epsilon_is_that_of_the_distance_in_deviations(variance: float, distance: float, delta: float) -> None:
    """That it inverts δ is checked where it is computed."""
    found = GaussianInputNoise(variance).epsilon(delta, distance)
    assert found == pytest.approx(gaussian_epsilon(distance / math.sqrt(variance), delta), rel=1e-9)


test_bad_arguments = refused(
    *((GaussianInputNoise, variance, "variance") for variance in (-1.0, math.inf, math.nan)),
    (lambda: GaussianInputNoise(0.1).release([[np.nan]], default_rng(0)), "finite"),
    (lambda: GaussianInputNoise(0.1).release([["a"]], default_rng(0)), "numbers"),
    (lambda: GaussianInputNoise(0.1).epsilon(0.0, 1.0), "delta"),
    (lambda: GaussianInputNoise(0.1).delta(1.0, 0.0), "distance"),
    (lambda: GaussianInputNoise(0.0).delta(1.0, 1.0), "variance"),
)
