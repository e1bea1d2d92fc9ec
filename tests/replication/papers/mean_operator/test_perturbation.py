"""The peers of the noisy mean operator: output perturbation and objective perturbation."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng
from numpy.testing import assert_allclose
from scipy import stats

from checks import FALSE_ALARM, assert_mean
from refusals import refused
from replication.papers.mean_operator.perturbation import ObjectivePerturbation, OutputPerturbation
from unveil.estimators.statistics.classifier import MeanOperatorClassifier
from unveil.estimators.statistics.losses import LOGISTIC, MATSUSHITA, MODIFIED_HUBER, SQUARE, LinearOddLoss
from unveil.estimators.statistics.risk import Design, StatisticRisk, minimise_statistic
from unveil.mechanisms.mean_operator import MeanOperatorRelease, mean_operator
from unveil.types import Array, Floats


def problem(seed: int, m: int = 40, d: int = 3) -> tuple[Floats, Array]:
    rng = default_rng(seed)
    X = rng.normal(size=(m, d))
    X /= np.linalg.norm(X, axis=1).max()
    return X, np.where(X[:, 0] + 0.3 * rng.normal(size=m) > 0, 1, -1)


@pytest.mark.parametrize("loss", [LOGISTIC, SQUARE, MATSUSHITA, MODIFIED_HUBER], ids=lambda loss: loss.name)
def test_no_flip_moves_the_minimiser_further_than_the_sensitivity(loss: LinearOddLoss) -> None:
    X, y = problem(3)
    mechanism = OutputPerturbation(1.0, loss.a, l2=0.05)
    theta = MeanOperatorClassifier(loss, l2=0.05, fit_intercept=False).fit(X, y).coef_[0]
    moved = []
    for i in range(len(y)):
        flipped = np.where(np.arange(len(y)) == i, -y, y)
        moved.append(
            np.linalg.norm(MeanOperatorClassifier(loss, l2=0.05, fit_intercept=False).fit(X, flipped).coef_[0] - theta)
        )
    assert 0.05 * mechanism.sensitivity(40) < max(moved) <= mechanism.sensitivity(40)


def test_output_noise_has_the_stated_length() -> None:
    mechanism = OutputPerturbation(0.5, 1.0, l2=0.1)
    rng = default_rng(4)
    lengths = [np.linalg.norm(mechanism.release(np.ones(3), 100, rng) - 1) for _ in range(4000)]
    assert_mean(np.array(lengths), 3 * mechanism.sensitivity(100) / 0.5)
    assert_allclose(OutputPerturbation(0.5, 0.0, l2=0.1).release(np.ones(3), 100, rng), 1.0)


def test_audit_of_output_perturbation_stays_below_its_level() -> None:
    """In one dimension the noise is Laplace; the event is that the output lies beyond both minimisers."""
    rng = default_rng(9)
    X = np.full((4, 1), 1.0)
    y, flipped = np.array([1, 1, -1, 1]), np.array([-1, 1, -1, 1])
    mechanism, n = OutputPerturbation(1.0, SQUARE.a, l2=0.5), 400_000
    thetas = [
        MeanOperatorClassifier(SQUARE, l2=0.5, fit_intercept=False).fit(X, labels).coef_[0] for labels in (y, flipped)
    ]
    exact = mechanism.alpha * abs(thetas[0] - thetas[1])[0] / mechanism.sensitivity(4)
    hits = [int(np.sum(mechanism.release(np.tile(theta, (n, 1)), 4, rng)[:, 0] > thetas[0][0])) for theta in thetas]
    low = stats.beta.ppf(FALSE_ALARM / 2, hits[0], n - hits[0] + 1)
    high = stats.beta.isf(FALSE_ALARM / 2, hits[1] + 1, n - hits[1])
    assert exact - 0.05 < log(low / high) <= exact <= mechanism.alpha


@pytest.mark.parametrize("loss", [LOGISTIC, SQUARE, MATSUSHITA], ids=lambda loss: loss.name)
def test_algorithms_1_and_2_are_objective_perturbation(loss: LinearOddLoss) -> None:
    """Noise on μ is a linear term of the labelled objective: one minimiser, found on both routes."""
    from scipy.optimize import minimize

    from replication.papers.mean_operator.factorization import labelled_risk

    X, y = problem(5)
    rng = default_rng(6)
    mechanism = MeanOperatorRelease(1.0, "gamma")
    mu = mean_operator(X, y)
    noisy = mechanism.perturb(mu, len(y), rng)
    by_statistic = MeanOperatorClassifier(loss, l2=0.1).fit_statistic(X, noisy).coef_[0]
    term = -loss.a / 2 * (noisy - mu)

    def objective(theta: Floats) -> float:
        return labelled_risk(loss, theta, X, y) + 0.1 * float(theta @ theta) + float(term @ theta)

    assert_allclose(by_statistic, minimize(objective, np.zeros(3), options={"gtol": 1e-8}).x, atol=1e-5)


def test_label_privacy_needs_half_the_noise_of_record_privacy() -> None:
    """For large m the published calibration spends twice as much, for hiding the features too."""
    m, alpha = 10_000_000, 1.0
    record = ObjectivePerturbation(alpha, LOGISTIC.lipschitz, LOGISTIC.steepest, l2=0.01)
    as_linear_term = LOGISTIC.a / 2 * MeanOperatorRelease(alpha, "gamma").scale(m, 5)
    assert record.noise_scale(m) == pytest.approx(2 * as_linear_term, rel=1e-4)
    assert record.label_epsilon(LOGISTIC.a, m) == pytest.approx(alpha / 2, rel=1e-4)


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), alpha=st.floats(0.05, 4), l2=st.floats(0.001, 1))
def test_label_level_of_objective_perturbation_by_densities(seed: int, alpha: float, l2: float) -> None:
    """The noise that leads to a given θ is minus the gradient there; its density ratio is the privacy loss."""
    X, y = problem(seed)
    mechanism = ObjectivePerturbation(alpha, LOGISTIC.lipschitz, LOGISTIC.steepest, l2)
    m, ridge = len(y), l2 + mechanism.extra_l2(len(y))
    term = mechanism.linear_term(m, 3, default_rng(seed))
    mu = mean_operator(X, y)
    design = Design(X)
    theta = minimise_statistic(design, LOGISTIC, mu - 2 / LOGISTIC.a * term, ridge).theta
    norm = float(np.linalg.norm(X, axis=1).max())
    for i in range(m):
        flipped = mean_operator(X, np.where(np.arange(m) == i, -y, y))
        here, there = (-StatisticRisk(design, s, LOGISTIC, ridge).at(theta).gradient for s in (mu, flipped))
        assert_allclose(here, term, atol=1e-7)
        loss = abs(np.linalg.norm(there) - np.linalg.norm(here)) / mechanism.noise_scale(m)
        assert loss <= mechanism.label_epsilon(LOGISTIC.a, m, norm) * (1 + 1e-6)
    assert mechanism.label_epsilon(LOGISTIC.a, m) <= alpha


def test_calibration_matches_the_published_formulas() -> None:
    m, alpha, l2 = 500, 0.8, 0.01
    mechanism = ObjectivePerturbation(alpha, 1.0, 0.25, l2)
    ratio = 0.25 / (m * 2 * l2)
    left = alpha - log(1 + 2 * ratio + ratio**2)
    assert mechanism.extra_l2(m) == 0
    assert mechanism.noise_scale(m) == pytest.approx(2 / (m * left))
    tight = ObjectivePerturbation(0.1, 1.0, 0.25, l2=1e-4)
    grown = 0.25 / (m * (exp(0.025) - 1)) - 2e-4
    assert tight.extra_l2(m) == pytest.approx(grown / 2)
    assert tight.noise_scale(m) == pytest.approx(2 / (m * 0.05))


test_bad_input_is_named = refused(
    (lambda: OutputPerturbation(1, 1, l2=0), "l2 must be positive"),
    (lambda: OutputPerturbation(1, 1, l2=1, bound=0), "bound must be positive"),
    (lambda: ObjectivePerturbation(1, SQUARE.lipschitz, SQUARE.steepest, 0.1), "slope must be positive and finite"),
    (lambda: ObjectivePerturbation(1, 1, float("inf"), 0.1), "curvature must be finite"),
    (lambda: ObjectivePerturbation(-1, 1, 1, 0.1), "alpha must be"),
    (lambda: ObjectivePerturbation(1, 1, 1, 0), "l2 must be positive"),
)
