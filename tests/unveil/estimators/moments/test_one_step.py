"""Moments where no θ has them, one scoring step from moments, and x."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.testing import assert_allclose
from scipy import stats

from checks import FALSE_ALARM
from refusals import refused
from unveil.errors import UnveilError
from unveil.estimators.moments.indirect import LinearMoments, project_frequencies
from unveil.estimators.moments.solvers import match_moments, maximise_marginal, moment_estimate, one_scoring_step
from unveil.mechanisms.response import randomized_response_matrix
from unveil.theory.asymptotics import asymptotic_variances
from unveil.theory.finite_models import log_marginal, observation_marginals, probabilities
from unveil.types import Floats

PHI = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
THETA = np.array([3.0, -1.0])
SUPERVISION = randomized_response_matrix(4, 0.4)


def assert_variance(estimates: Floats, truth: Floats, n: int, expected: Floats) -> None:
    """Sums of squared errors against what a normal sample with this covariance would give."""
    r = len(estimates)
    for j in range(len(truth)):
        scaled = n * np.sum((estimates[:, j] - truth[j]) ** 2) / expected[j, j]
        low, high = stats.chi2.ppf([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2], r)
        # A hundredth for what is left of the second order at this n.
        assert 0.99 * low < scaled < 1.01 * high, (j, scaled / r)


def test_one_step_from_moments_is_as_efficient_as_the_maximum() -> None:
    """Its variance is that of (13), where the moments' is that of (14), by simulation."""
    n, r = 10**8, 20_000
    seen = default_rng(1).multinomial(n, observation_marginals(PHI, THETA, SUPERVISION), r) / n
    moments = moment_estimate(seen, PHI, SUPERVISION)
    stepped = one_scoring_step(seen, PHI, SUPERVISION, moments)
    marginal, mom = asymptotic_variances(PHI, THETA, SUPERVISION)
    assert np.diag(mom)[0] > 1.1 * np.diag(marginal)[0]
    assert_variance(stepped, THETA, n, marginal)
    assert_variance(moments, THETA, n, mom)


def test_the_step_is_one_of_fisher_scoring() -> None:
    seen = observation_marginals(PHI, THETA, SUPERVISION)
    start = THETA + np.array([0.05, -0.03])
    step, rest = 1e-5, np.eye(2)
    gradient = [
        (
            log_marginal(PHI, start + step * e, SUPERVISION, seen)
            - log_marginal(PHI, start - step * e, SUPERVISION, seen)
        )
        / (2 * step)
        for e in rest
    ]
    p = probabilities(PHI, start)
    q = SUPERVISION @ p
    means = SUPERVISION * p @ PHI / q[:, None] - p @ PHI
    expected = start + np.linalg.solve((means.T * q) @ means, gradient)
    assert_allclose(one_scoring_step(seen, PHI, SUPERVISION, start), expected, rtol=1e-6)


def test_a_step_that_would_lower_the_likelihood_is_shortened() -> None:
    seen = observation_marginals(PHI, THETA, SUPERVISION)
    for start in (np.array([9.0, 9.0]), np.array([-8.0, 3.0])):
        after = one_scoring_step(seen, PHI, SUPERVISION, start)
        assert log_marginal(PHI, after, SUPERVISION, seen) > log_marginal(PHI, start, SUPERVISION, seen)


def test_moments_that_no_parameter_has_are_projected_on_demand() -> None:
    observations = np.repeat([0, 1, 2, 3], [1, 2, 3, 40])
    with pytest.raises(UnveilError, match="convex hull"):
        LinearMoments(PHI, SUPERVISION).fit(observations)
    for one_step in (False, True):
        model = LinearMoments(PHI, SUPERVISION, project="kl", one_step=one_step).fit(observations)
        assert np.isfinite(model.coef_).all()
        assert np.isfinite(model.covariance_).all()
    nearest = project_frequencies(np.array([1, 2, 3, 40]) / 46, SUPERVISION, np.array(46.0))
    assert_allclose(LinearMoments(PHI, SUPERVISION, "kl").fit(observations).moments_, nearest @ PHI)


def test_where_moments_exist_the_projection_changes_what_half_an_observation_does() -> None:
    observations = default_rng(0).choice(4, 100_000, p=observation_marginals(PHI, THETA, SUPERVISION))
    plain, kl = (LinearMoments(PHI, SUPERVISION, project).fit(observations).coef_ for project in (None, "kl"))
    assert_allclose(plain, kl, atol=1e-3)
    assert not np.array_equal(plain, kl)


def test_covariances_are_those_of_the_formulas() -> None:
    seen = observation_marginals(PHI, THETA, SUPERVISION)
    marginal, moments = asymptotic_variances(PHI, THETA, SUPERVISION)
    assert_allclose(LinearMoments(PHI, SUPERVISION).fit_frequencies(seen).covariance_, moments, rtol=1e-6)
    assert_allclose(LinearMoments(PHI, SUPERVISION, None, True).fit_frequencies(seen).covariance_, marginal, rtol=1e-6)


#: Statistics that change with x: for x = 1 the two bits stand for other states.
GIVEN = np.array([PHI, PHI[[3, 0, 1, 2]] * [1.0, 0.5], PHI * [0.0, 2.0]])
SHARES = np.array([0.5, 0.3, 0.2])


def test_with_x_the_variances_are_those_of_a_simulation() -> None:
    n, r = 10**7, 4000
    rng = default_rng(3)
    joint = np.array([s * observation_marginals(phi, THETA, SUPERVISION) for s, phi in zip(SHARES, GIVEN, strict=True)])
    exact = LinearMoments(GIVEN, SUPERVISION).fit_frequencies(joint)
    assert_allclose(exact.coef_, THETA, atol=1e-7)
    stepped = LinearMoments(GIVEN, SUPERVISION, one_step=True).fit_frequencies(joint)
    assert (np.diag(stepped.covariance_) < np.diag(exact.covariance_)).all()
    tables = rng.multinomial(n, joint.ravel(), r).reshape(r, 3, 4) / n
    for model, one_step in ((exact, False), (stepped, True)):
        fits = [
            LinearMoments(GIVEN, SUPERVISION, one_step=one_step).fit_frequencies(table).coef_ for table in tables[:400]
        ]
        assert_variance(np.array(fits), THETA, n, model.covariance_)


def test_an_x_that_changes_nothing_changes_nothing() -> None:
    rng = default_rng(0)
    observations, x = rng.choice(4, 5000, p=observation_marginals(PHI, THETA, SUPERVISION)), rng.integers(0, 2, 5000)
    alone = LinearMoments(PHI, SUPERVISION, one_step=True).fit(observations)
    given = LinearMoments(np.array([PHI, PHI]), SUPERVISION, one_step=True).fit(observations, x=x)
    assert_allclose(given.moments_, alone.moments_, rtol=1e-9)
    assert_allclose(given.predict_proba(), [alone.predict_proba()] * 2, rtol=1e-6)


def test_matching_given_x_solves_the_equations() -> None:
    target = sum(s * probabilities(phi, THETA) @ phi for s, phi in zip(SHARES, GIVEN, strict=True))
    assert_allclose(match_moments(target, GIVEN, shares=SHARES.tolist()), THETA, atol=1e-9)


def test_from_a_far_start_the_maximum_is_not_reached_in_one_step() -> None:
    seen = observation_marginals(PHI, THETA, SUPERVISION)
    stepped = one_scoring_step(seen, PHI, SUPERVISION, np.zeros(2))
    maximum, _ = maximise_marginal(seen, PHI, SUPERVISION, np.zeros(2))
    assert np.abs(stepped - THETA).max() > 0.1 > np.abs(maximum - THETA).max()


test_bad_input_is_refused = refused(
    (lambda: LinearMoments(PHI, SUPERVISION, "l2").fit([0, 1]), "project must be"),
    (lambda: LinearMoments(GIVEN, SUPERVISION).fit([0, 1, 2]), "x must be given"),
    (lambda: LinearMoments(GIVEN, SUPERVISION).fit([0, 1, 2], x=[0, 1, 3]), "x must be integers"),
    (lambda: LinearMoments(GIVEN, SUPERVISION).fit_frequencies([0.25] * 4), "frequencies must be"),
)
