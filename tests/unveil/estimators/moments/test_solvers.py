from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from refusals import refused
from small_models import SmallModel, small_models, state_probabilities
from unveil.errors import UnveilError
from unveil.estimators.moments.solvers import match_moments, maximise_marginal, maximise_marginal_em, moment_estimate
from unveil.theory.finite_models import log_marginal

PHI = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


@given(small_models())
def test_moments_are_exact_on_the_population(model: SmallModel) -> None:
    population = model.supervision @ state_probabilities(model)
    assert_allclose(moment_estimate(population, model.phi, model.supervision), model.theta, atol=1e-7)


@given(small_models())
def test_marginal_likelihood_is_exact_on_the_population(model: SmallModel) -> None:
    population = model.supervision @ state_probabilities(model)
    theta, _ = maximise_marginal(population, model.phi, model.supervision, start=model.theta + 0.1)
    assert_allclose(theta, model.theta, atol=1e-6)


def test_independent_bits_have_the_logit_as_their_parameter() -> None:
    moments = np.array([[0.2, 0.9], [0.5, 0.01], [0.999, 0.5]])
    logits = np.log(moments / (1 - moments))
    assert_allclose(match_moments(moments, PHI), logits, atol=1e-9)
    # In another unit of a statistic, too.
    units = np.array([1e-6, 1.0])
    assert_allclose(match_moments(moments[0] * units, PHI * units) * units, logits[0], atol=1e-5)


def test_scoring_finds_what_a_general_optimiser_finds() -> None:
    rng = np.random.default_rng(5)
    matrix = 0.4 * np.eye(4) + 0.15
    frequencies = rng.multinomial(500, matrix @ np.array([0.4, 0.1, 0.3, 0.2])) / 500
    theta, value = maximise_marginal(frequencies, PHI, matrix, start=np.zeros(2))
    found = minimize(lambda t: -log_marginal(PHI, t, matrix, frequencies), np.zeros(2), method="BFGS", tol=1e-9)
    assert_allclose(theta, found.x, atol=1e-5)
    assert value >= -found.fun - 1e-12


def test_em_climbs_and_meets_the_direct_maximiser() -> None:
    matrix = 0.5 * np.eye(4) + 0.125
    frequencies = np.array([0.2, 0.35, 0.15, 0.3])
    theta, values = np.array([2.0, -2.0]), []
    for _ in range(30):
        values.append(log_marginal(PHI, theta, matrix, frequencies))
        theta, _ = maximise_marginal_em(frequencies, PHI, matrix, theta, steps=1)
    assert np.all(np.diff(values) >= -1e-13)
    by_em, _ = maximise_marginal_em(frequencies, PHI, matrix, start=np.zeros(2), steps=300)
    direct, _ = maximise_marginal(frequencies, PHI, matrix, start=np.zeros(2))
    assert_allclose(by_em, direct, atol=1e-7)


def test_many_samples_are_fitted_as_each_on_its_own() -> None:
    rng = np.random.default_rng(6)
    matrix = 0.4 * np.eye(4) + 0.15
    frequencies = rng.multinomial(1000, [0.3, 0.2, 0.3, 0.2], 5) / 1000
    together, _ = maximise_marginal(frequencies, PHI, matrix, start=np.zeros(2))
    alone = [maximise_marginal(row, PHI, matrix, start=np.zeros(2))[0] for row in frequencies]
    assert_allclose(together, alone, atol=1e-9)


def test_a_fit_whose_log_odds_are_without_end_is_left_there() -> None:
    """Others go on beside it."""
    starts, seen = np.array([[500.0, -500.0], [5.0, -5.0]]), np.array([0.4, 0.1, 0.3, 0.2])
    ends, _ = maximise_marginal(seen, PHI, np.eye(4), starts)
    assert_allclose(ends[0], starts[0], rtol=0)
    assert_allclose(ends[1], np.log([0.5 / 0.5, 0.3 / 0.7]), atol=1e-7)


@pytest.mark.parametrize("moments", [[1.2, 0.5], [1.0, 0.5], [-3.0, 40.0]])
def test_moments_outside_the_hull_have_no_parameter(moments: list[float]) -> None:
    with pytest.raises(UnveilError, match="convex hull"):
        match_moments(moments, PHI)


test_bad_frequencies_name_the_rule = refused(
    (moment_estimate, [0.5, 0.5, 0.5, 0.5], PHI, np.eye(4), "frequencies must be distributions"),
    (moment_estimate, [np.nan, 0.5, 0.25, 0.25], PHI, np.eye(4), "frequencies must be distributions"),
    (moment_estimate, [0.5, 0.5], PHI, np.eye(4), "one entry per observation"),
)
