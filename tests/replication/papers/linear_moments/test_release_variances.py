from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import expit

from channels import coordinate_channel, per_value_channel
from replication.papers.linear_moments import release_variances as closed
from replication.papers.linear_moments.figA4.traces import (
    Population,
    coordinate_trace,
    crossover,
    nominal_level,
    per_value_trace,
)
from small_models import SmallModel, covariance, small_models, state_probabilities
from unveil.mechanisms.response import randomized_response_matrix
from unveil.theory.asymptotics import asymptotic_variances, efficiency_of

PHI = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
Matrix = np.ndarray[Any, Any]


def loss(channel: tuple[Matrix, Matrix], weights: Matrix) -> Matrix:
    """E[Cov[β(o) | y]], outcome by outcome."""
    law, beta = channel
    return np.asarray(sum(w * covariance(list(beta), list(column)) for w, column in zip(weights, law.T, strict=True)))


def enumerated_coordinate(phi: Matrix, weights: Matrix, alpha: float, upper: float = 1.0) -> Matrix:
    return loss(coordinate_channel(phi, expit(alpha / 2), upper), weights)


def enumerated_per_value(phi: Matrix, weights: Matrix, alpha: float, delta_bar: float, upper: float = 1.0) -> Matrix:
    return loss(per_value_channel(phi, expit(alpha / delta_bar / 2), upper), weights)


@settings(max_examples=150)
@given(small_models(binary=True), st.floats(0.2, 6), st.floats(1, 4))
def test_printed_forms_hold_for_binary_statistics(model: SmallModel, alpha: float, delta_bar: float) -> None:
    weights = np.array(state_probabilities(model))
    coordinate = enumerated_coordinate(model.phi, weights, alpha)
    assert_allclose(closed.coordinate_loss_printed(model.phi, weights, alpha), coordinate, rtol=1e-9, atol=1e-9)
    per_value = enumerated_per_value(model.phi, weights, alpha, delta_bar)
    got = closed.per_value_loss_printed(model.phi, alpha, delta_bar)
    assert_allclose(got, per_value, rtol=1e-9, atol=1e-9 * per_value.max())


@settings(max_examples=150)
@given(small_models(), st.floats(0.05, 1), st.integers(0, 2**32 - 1))
def test_randomised_response_forms_match_the_definitions(model: SmallModel, epsilon: float, seed: int) -> None:
    u = np.random.default_rng(seed).dirichlet(np.full(len(model.phi), 3.0))
    even, uneven = (randomized_response_matrix(len(model.phi), epsilon, base) for base in (None, u))
    marginal, _ = asymptotic_variances(model.phi, model.theta, even)
    information = closed.response_marginal_information(model.phi, model.theta, epsilon)
    assert_allclose(np.linalg.inv(information), marginal, rtol=1e-8, atol=1e-9 * np.abs(marginal).max())
    _, moments = asymptotic_variances(model.phi, model.theta, uneven)
    lemma = closed.moment_variance(model.phi, model.theta, closed.response_loss(model.phi, model.theta, epsilon, u))
    assert_allclose(lemma, moments, rtol=1e-8, atol=1e-9 * np.abs(moments).max())


@pytest.mark.parametrize("theta", [[2.0, -0.1], [5.0, -1.0], [0.0, 0.0]])
def test_efficiency_has_a_positive_limit(theta: list[float]) -> None:
    limit = closed.efficiency_limit(PHI, np.array(theta))
    gaps = [
        efficiency_of(*asymptotic_variances(PHI, theta, randomized_response_matrix(4, epsilon))) - limit
        for epsilon in (1e-2, 1e-3, 1e-4)
    ]
    assert limit > 0.5
    assert abs(gaps[2]) < 1e-3
    # The approach is linear in ε.
    assert gaps[1] == pytest.approx(gaps[0] / 10, rel=0.1, abs=1e-9)
    assert gaps[2] == pytest.approx(gaps[1] / 10, rel=0.1, abs=1e-8)


@given(st.floats(1e-6, 1e4))
def test_flip_variance_is_the_hyperbolic_form(alpha: float) -> None:
    with np.errstate(over="ignore"):
        expected = 1 / (4 * np.sinh(alpha / 4) ** 2)
    assert closed.flip_variance(alpha) == pytest.approx(expected, rel=1e-9, abs=1e-300)


def test_without_flips_only_the_binarisation_remains() -> None:
    assert closed.flip_variance(np.inf) == 0
    assert per_value_trace(Population(1, 0.75, 0.625), np.inf, 1.0) == pytest.approx(0.125)


@given(st.integers(0, 2**32 - 1), st.floats(0.2, 8), st.floats(0.5, 3), st.booleans())
def test_traces_are_what_enumeration_gives(seed: int, alpha: float, upper: float, binary: bool) -> None:
    rng = np.random.default_rng(seed)
    phi = rng.integers(0, 2, (4, 5)).astype(float) if binary else rng.uniform(0, upper, (4, 5))
    weights, c = rng.dirichlet(np.ones(4)), 1.0 if binary else upper
    population = Population(5, float(weights @ phi.sum(axis=1)), float(weights @ (phi**2).sum(axis=1)), c)
    coordinate = np.trace(enumerated_coordinate(phi, weights, alpha, c))
    assert coordinate_trace(population, alpha, 5.0) == pytest.approx(coordinate, rel=1e-9)
    per_value = np.trace(enumerated_per_value(phi, weights, alpha, 5.0, c))
    assert per_value_trace(population, alpha, 5.0) == pytest.approx(per_value, rel=1e-9)
    printed = np.trace(closed.coordinate_loss_printed(phi, weights, alpha))
    assert coordinate_trace(population, alpha, 5.0, "printed") == pytest.approx(printed, rel=1e-9)
    printed = np.trace(closed.per_value_loss_printed(phi, alpha, 5.0))
    assert per_value_trace(population, alpha, 5.0, "printed") == pytest.approx(printed, rel=1e-9)


@given(st.integers(2, 500), st.floats(0.1, 1), st.floats(0.1, 1))
def test_corrected_approximations_hold_for_small_alpha(d: int, fill: float, size: float) -> None:
    norm = fill * d * size
    population = Population(d, norm, norm * size)
    for trace in (coordinate_trace, per_value_trace):
        exact, corrected = (trace(population, 0.01, float(d), form) for form in ("exact", "small_alpha_corrected"))
        # 1/(4 sinh²(α/4)) = 4/α² − 1/12 + …
        assert corrected == pytest.approx(exact, rel=1e-5)


@pytest.mark.parametrize("d", [4, 25, 100, 2_500])
def test_the_schemes_cross_near_the_root_of_d(d: int) -> None:
    assert crossover(d, 1e-3) == pytest.approx(np.sqrt(d), rel=1e-3)
    for actual in (False, True):
        at = crossover(d, 1.0, 1.0, actual)
        levels = [nominal_level(name, 1.0, d, at) if actual else 1.0 for name in ("coordinate", "per_value")]
        population = Population(d, at, at)
        other = per_value_trace(population, levels[1], at)
        assert coordinate_trace(population, levels[0], at) == pytest.approx(other, rel=1e-8)


def test_for_large_alpha_per_value_is_cheaper_however_dense() -> None:
    assert crossover(10, 10.0) == np.inf
    population = Population(10, 10.0, 10.0)
    assert per_value_trace(population, 10.0, 10.0) < coordinate_trace(population, 10.0, 10.0)


@given(st.integers(10, 1_000), st.floats(0.1, 3))
def test_sparse_wants_per_value_and_dense_wants_coordinate(d: int, alpha: float) -> None:
    sparse, dense = Population(d, 1.0, 1.0), Population(d, float(d), float(d))
    assert per_value_trace(sparse, alpha, 1.0) < coordinate_trace(sparse, alpha, 1.0)
    assert coordinate_trace(dense, alpha, float(d)) < per_value_trace(dense, alpha, float(d))
