from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from checks import assert_mean
from unveil.mechanisms.response import RandomizedResponse
from unveil.privacy.channels import channel_epsilon
from unveil.theory.equivalence import faithful_copy_variances, through_statistics
from unveil.theory.finite_models import probabilities

#: Five states, two of which share their statistics.
PHI = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])


def random_mechanism(seed: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    matrix = np.random.default_rng(seed).uniform(0.2, 1, (4, 5))
    return np.asarray(matrix / matrix.sum(axis=0))


@given(st.integers(0, 2**32 - 1), st.floats(-2, 2), st.floats(-2, 2))
def test_a_well_specified_model_needs_the_statistics_only(seed: int, first: float, second: float) -> None:
    matrix = random_mechanism(seed)
    reduced = through_statistics(matrix, PHI)
    p = probabilities(PHI, np.array([first, second]))
    assert_allclose(reduced @ p, matrix @ p, atol=1e-12)
    assert_allclose(reduced[:, 1], reduced[:, 2])
    assert channel_epsilon(reduced) <= channel_epsilon(matrix) + 1e-12


@given(st.integers(0, 2**32 - 1))
def test_averages_by_the_model_need_a_right_model(seed: int) -> None:
    """Of a law whose states of one φ are not equally likely another average would be right; x is empty here."""
    matrix = random_mechanism(seed)
    p = np.array([0.2, 0.5, 0.0, 0.2, 0.1])
    gap = np.abs(through_statistics(matrix, PHI) @ p - matrix @ p).max()
    assert gap == pytest.approx(0.25 * np.abs(matrix[:, 1] - matrix[:, 2]).max())
    assert gap > 0


def test_level_of_randomised_response_is_its_own() -> None:
    mechanism = RandomizedResponse(4, 0.3, (0.4, 0.3, 0.2, 0.1))
    assert channel_epsilon(mechanism.matrix) == pytest.approx(mechanism.tight_epsilon())
    assert channel_epsilon(np.eye(2)) == np.inf


@given(st.floats(-4, 4))
def test_a_faithful_copy_costs_moments_what_the_paper_says(theta: float) -> None:
    marginal, moments = faithful_copy_variances(theta)
    p = 1 / (1 + np.exp(-theta))
    assert marginal == pytest.approx(1 / (p * (1 - p)), rel=1e-9)
    assert marginal / moments == pytest.approx(1 / (1 + marginal / 4), rel=1e-9)


@pytest.mark.slow
def test_a_faithful_copy_by_simulation() -> None:
    """√n(θ̂ − θ) of both estimators over 4,000 samples of 20,000 observations."""
    theta, n, rng = 0.5, 20_000, np.random.default_rng(1)
    p = 1 / (1 + np.exp(-theta))
    ones = rng.binomial(n, p, 4_000) / n
    noise = rng.normal(0, 0.5 / np.sqrt(n), 4_000)
    logit = [np.log(mean / (1 - mean)) - theta for mean in (ones, ones + noise)]
    for errors, expected in zip(logit, faithful_copy_variances(theta), strict=True):
        # The bias of the square is of order 1/n.
        assert_mean(n * errors**2 / expected, 1.0)
