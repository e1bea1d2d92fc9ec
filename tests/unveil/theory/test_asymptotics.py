from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_allclose

from refusals import refused
from small_models import SmallModel, covariance, small_models, state_probabilities
from unveil.theory.asymptotics import asymptotic_variances, observation_function, relative_efficiency

PHI = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def by_definition(model: SmallModel) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """(13) and (14) read literally: sums over y, then over o, no matrix of the model in sight."""
    p = state_probabilities(model)
    information = covariance(list(model.phi), p)
    lost = np.zeros_like(information)
    for o in range(len(model.supervision)):
        joint = [p[y] * model.supervision[o, y] for y in range(len(p))]
        lost = lost + sum(joint) * covariance(list(model.phi), joint)
    # β by least squares on the normal equations, not by a pseudo-inverse.
    beta = model.supervision @ np.linalg.solve(model.supervision.T @ model.supervision, model.phi)
    noise = sum(p[y] * covariance(list(beta), list(model.supervision[:, y])) for y in range(len(p)))
    inverse = np.linalg.inv(information)
    return np.linalg.inv(information - lost), inverse + inverse @ noise @ inverse


@settings(max_examples=200)
@given(small_models())
def test_variances_match_enumeration(model: SmallModel) -> None:
    marginal, moments = asymptotic_variances(*model)
    expected_marginal, expected_moments = by_definition(model)
    assert_allclose(marginal, expected_marginal, rtol=1e-9, atol=1e-9 * np.abs(expected_marginal).max())
    assert_allclose(moments, expected_moments, rtol=1e-9, atol=1e-9 * np.abs(expected_moments).max())


@settings(max_examples=200)
@given(small_models())
def test_marginal_likelihood_is_never_worse(model: SmallModel) -> None:
    marginal, moments = asymptotic_variances(*model)
    assert np.linalg.eigvalsh(moments - marginal)[0] >= -1e-9 * np.abs(moments).max()
    assert relative_efficiency(*model) <= 1 + 1e-9


@given(small_models())
def test_observation_function_is_unbiased(model: SmallModel) -> None:
    beta = observation_function(model.phi, model.supervision)
    for y, statistics in enumerate(model.phi):
        seen = sum(model.supervision[o, y] * beta[o] for o in range(len(beta)))
        assert_allclose(seen, statistics, atol=1e-10)


def test_efficiency_is_the_trace_and_not_its_inverse_or_its_diagonal() -> None:
    theta, matrix = [5.0, -1.0], 0.2 * np.eye(4) + 0.2
    marginal, moments = asymptotic_variances(PHI, theta, matrix)
    value = relative_efficiency(PHI, theta, matrix)
    assert value == pytest.approx(np.trace(marginal @ np.linalg.inv(moments)) / 2)
    assert abs(value - np.mean(np.diag(marginal) / np.diag(moments))) > 1e-4
    assert abs(value - 2 / np.trace(moments @ np.linalg.inv(marginal))) > 1e-4


def test_at_theta_zero_under_uniform_response_the_variances_agree() -> None:
    marginal, moments = asymptotic_variances(PHI, [0.0, 0.0], 0.3 * np.eye(4) + 0.7 / 4)
    assert_allclose(marginal, moments, rtol=1e-12, atol=1e-12)


test_impossible_parameters_name_the_rule = refused(
    (PHI, [0.0, 0.0], np.eye(4) * 0.9, "sum to one"),
    (PHI, [0.0, 0.0], [[1.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]], "row space"),
    (PHI, [0.0, 0.0], np.eye(4) * 2 - np.eye(4)[::-1], "no entry below 0"),
    (PHI, [0.0, np.nan], np.eye(4), "theta must be finite"),
    (PHI, [0.0], np.eye(4), "one entry per statistic"),
    (PHI - np.inf, [0.0, 0.0], np.eye(4), "phi"),
    (np.ones((4, 1)), [0.0], np.eye(4), "not identified"),
    (np.column_stack([PHI, PHI.sum(axis=1)]), [0.0, 0.0, 0.0], np.eye(4), "not identified"),
    (PHI, [0.0, 0.0], np.eye(3), "shape"),
    call=np.errstate(invalid="ignore")(asymptotic_variances),
)
