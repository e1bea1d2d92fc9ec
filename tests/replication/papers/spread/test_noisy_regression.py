"""Appendix B: the predicted optimum against simulation and against its own gradient."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from checks import assert_mean
from refusals import refused
from replication.papers.spread.noisy_regression import NoisyRegression, angle, fit_logistic
from unveil.mechanisms.flips import LabelFlips
from unveil.types import Array, Floats

THETA = np.array([1.0, -1.0, 0.5])
SIGMA = np.array([[1.0, 0.3, 0.0], [0.3, 4.0, 0.2], [0.0, 0.2, 0.25]])
FLIPS = LabelFlips(0.2, 0.1).matrix


def _law(mean: Floats, variance: float) -> NoisyRegression:
    return NoisyRegression(THETA, mean, SIGMA, FLIPS, variance)


def _sample(law: NoisyRegression, n: int, seed: int) -> tuple[Floats, Array]:
    rng = default_rng(seed)
    clean = rng.multivariate_normal(law.mean, law.covariance, n)
    labels = (rng.random(n) < expit(clean @ law.theta0)).astype(int)
    noisy = LabelFlips(0.2, 0.1).release(labels, rng)
    return clean + np.sqrt(law.variance) * rng.standard_normal(clean.shape), noisy


@pytest.mark.parametrize("mean", [np.zeros(3), np.array([1.0, 0.5, 0.0])])
@pytest.mark.parametrize("variance", [0.0, 1.0])
@pytest.mark.parametrize("intercept", [False, True])
def test_gradient_vanishes_at_the_optimum(mean: Floats, variance: float, intercept: bool) -> None:
    law = _law(mean, variance)
    theta = law.optimum(intercept)
    inputs, labels = _sample(law, 400_000, 50)
    features = np.column_stack([inputs, np.ones(len(inputs))]) if intercept else inputs
    if intercept:
        offset = fit_logistic(np.ones((len(inputs), 1)), labels.astype(float))[0]
        for _ in range(60):
            slope = (labels - expit(inputs @ theta + offset)).mean()
            offset += 4 * slope
        theta = np.append(theta, offset)
    residual = (labels - expit(features @ theta))[:, None] * features
    assert_mean(residual[:, :3], np.zeros(3))


def test_flipped_labels_alone_keep_the_direction_for_any_covariance() -> None:
    assert angle(_law(np.zeros(3), 0.0).optimum(False), THETA) < 1e-5
    assert angle(_law(np.ones(3), 0.0).optimum(False), THETA) > 1
    assert angle(_law(np.ones(3), 0.0).optimum(True), THETA) < 1e-5


def test_input_noise_turns_it_as_the_formula_says() -> None:
    law = _law(np.zeros(3), 1.0)
    expected = np.linalg.solve(SIGMA + np.eye(3), SIGMA @ THETA)
    assert angle(law.optimum(False), expected) < 1e-5
    assert angle(expected, THETA) > 10
    isotropic = NoisyRegression(THETA, np.zeros(3), 2 * np.eye(3), FLIPS, 1.0)
    assert angle(isotropic.optimum(False), THETA) < 1e-5


def test_newton_agrees_with_scikit_learn() -> None:
    inputs, labels = _sample(_law(np.zeros(3), 0.5), 5000, 51)
    peer = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-10, max_iter=1000).fit(inputs, labels)
    np.testing.assert_allclose(fit_logistic(inputs, labels.astype(float)), peer.coef_[0], rtol=1e-4)


def test_angles() -> None:
    assert angle(np.array([1.0, 0]), np.array([0, 2.0])) == pytest.approx(90)
    assert angle(np.array([1.0, 0]), np.array([-3.0, 0])) == pytest.approx(180)
    assert angle(np.array([1.0, 1e-9]), np.array([2.0, 0])) == pytest.approx(np.degrees(1e-9))


test_bad_input = refused((fit_logistic, np.array([[1.0], [2.0]]), np.array([1.0, 1.0]), "separable"))
