"""Errors of the first paper that no test of a library function shows."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from unveil.mechanisms.response import RandomizedResponse
from unveil.theory.finite_models import probabilities
from unveil.theory.geometry import family_curve

PHI = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


@given(st.floats(0.05, 1), st.floats(-2, 2), st.floats(-2, 2))
def test_beta_is_unbiased_given_y_and_cannot_be_given_x_alone(epsilon: float, one: float, two: float) -> None:
    """(3): β of (7) has mean φ(y) given each y. Given x alone its mean is one vector, E φ, for all y."""
    mechanism = RandomizedResponse(4, epsilon)
    beta = mechanism.debias(np.arange(4)) @ PHI
    given_y = mechanism.matrix.T @ beta
    assert_allclose(given_y, PHI, atol=1e-9 / epsilon)
    given_x = probabilities(PHI, np.array([one, two])) @ given_y
    assert np.abs(given_x - PHI).max() >= 0.5 - 1e-9


def test_the_family_of_figure_4_has_one_parameter() -> None:
    """With φ = 5, −1, 0 two log-odds move together along a line; two free statistics would reach any pair of them."""
    curve = family_curve(np.array([[5.0], [-1.0], [0.0]]), np.linspace(-2, 2, 50))
    log_odds = np.log(curve[:, :2] / curve[:, 2:])
    assert_allclose(log_odds[:, 0], -5 * log_odds[:, 1], atol=1e-10)
    assert np.linalg.matrix_rank(log_odds, tol=1e-8) == 1
    plane = [probabilities(np.vstack([np.eye(2), np.zeros(2)]), theta) for theta in np.eye(2)]
    reached = np.log(np.array(plane)[:, :2] / np.array(plane)[:, 2:])
    assert np.linalg.matrix_rank(reached) == 2
