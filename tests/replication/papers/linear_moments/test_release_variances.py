from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from refusals import refused
from replication.papers.linear_moments import release_variances as closed
from replication.papers.linear_moments.figA4.traces import (
    FORMS,
    Population,
    coordinate_trace,
    crossover,
    per_value_trace,
)
from small_models import SmallModel, covariance, small_models, state_probabilities
from unveil.mechanisms.response import randomized_response_matrix
from unveil.theory.asymptotics import asymptotic_variances, efficiency_of

PHI = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
Matrix = np.ndarray[Any, Any]


def keep(t: float) -> float:
    return float(np.exp(t / 2) / (1 + np.exp(t / 2)))


def enumerated_coordinate(phi: Matrix, weights: list[float], alpha: float, upper: float, p: Matrix) -> Matrix:
    """E[Cov[β_cr | y]] by summing over the coordinate and the released bit."""
    d, q = phi.shape[1], keep(alpha)
    total = np.zeros((d, d))
    for weight, row in zip(weights, phi, strict=True):
        values, chances = [], []
        for j, bit in product(range(d), (0, 1)):
            one = q * row[j] / upper + (1 - q) * (1 - row[j] / upper)
            values.append(np.eye(d)[j] * upper * (bit - 1 + q) / (2 * q - 1) / p[j])
            chances.append(p[j] * (one if bit else 1 - one))
        total = total + weight * covariance(values, chances)
    return total


def enumerated_per_value(phi: Matrix, weights: list[float], alpha: float, delta_bar: float, upper: float) -> Matrix:
    """E[Cov[β_pv | y]] by summing over all 2^d released vectors."""
    d, q = phi.shape[1], keep(alpha / delta_bar)
    total = np.zeros((d, d))
    for weight, row in zip(weights, phi, strict=True):
        one = q * row / upper + (1 - q) * (1 - row / upper)
        vectors = [np.array(bits) for bits in product((0, 1), repeat=d)]
        chances = [float(np.prod(np.where(bits == 1, one, 1 - one))) for bits in vectors]
        total = total + weight * covariance([upper * (v - 1 + q) / (2 * q - 1) for v in vectors], chances)
    return total


@settings(max_examples=150)
@given(small_models(binary=True), st.floats(0.2, 6), st.floats(1, 4))
def test_printed_forms_hold_for_binary_statistics(model: SmallModel, alpha: float, delta_bar: float) -> None:
    weights, d = state_probabilities(model), model.phi.shape[1]
    coordinate = enumerated_coordinate(model.phi, weights, alpha, 1.0, np.full(d, 1 / d))
    assert_allclose(closed.coordinate_loss_printed(model.phi, weights, alpha), coordinate, rtol=1e-9, atol=1e-9)
    per_value = enumerated_per_value(model.phi, weights, alpha, delta_bar, 1.0)
    got = closed.per_value_loss_printed(model.phi, alpha, delta_bar)
    assert_allclose(got, per_value, rtol=1e-9, atol=1e-9 * per_value.max())


def test_fractional_statistics_need_the_extension() -> None:
    """Theorems 1 and 2 are for bits (A.3); turning fractions into bits adds variance, as figure 6 has it."""
    phi, weights = np.array([[0.5, 0.25], [0.75, 0.5], [0.1, 0.9]]), [0.2, 0.3, 0.5]
    coordinate = enumerated_coordinate(phi, weights, 1.0, 1.0, np.full(2, 0.5))
    per_value = enumerated_per_value(phi, weights, 1.0, 2.0, 1.0)
    assert np.trace(coordinate) > np.trace(closed.coordinate_loss_printed(phi, weights, 1.0)) + 0.1
    assert np.trace(per_value) > np.trace(closed.per_value_loss_printed(phi, 1.0, 2.0)) + 0.1


@settings(max_examples=150)
@given(small_models(), st.floats(0.05, 1), st.integers(0, 2**32 - 1))
def test_randomised_response_forms_match_the_definitions(model: SmallModel, epsilon: float, seed: int) -> None:
    u = np.random.default_rng(seed).dirichlet(np.full(len(model.phi), 3.0))
    matrix = randomized_response_matrix(len(model.phi), epsilon, u)
    marginal, moments = asymptotic_variances(model.phi, model.theta, matrix)
    information = closed.response_marginal_information(model.phi, model.theta, epsilon, u)
    assert_allclose(np.linalg.inv(information), marginal, rtol=1e-8, atol=1e-9 * np.abs(marginal).max())
    lemma = closed.moment_variance(model.phi, model.theta, closed.response_loss(model.phi, model.theta, epsilon, u))
    assert_allclose(lemma, moments, rtol=1e-8, atol=1e-9 * np.abs(moments).max())


def test_same_distribution_gives_the_shortcut_of_lemma_1() -> None:
    """When y and y' have one distribution, Σ_mom = ε⁻² I⁻¹ (remark after Lemma 1)."""
    theta, epsilon = np.array([1.0, -0.5]), 0.3
    p = np.exp(PHI @ theta) / np.exp(PHI @ theta).sum()
    information = covariance(list(PHI), list(p))
    sigma = closed.moment_variance(PHI, theta, closed.response_loss(PHI, theta, epsilon, p))
    assert_allclose(sigma, np.linalg.inv(information) / epsilon**2, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("theta", [[2.0, -0.1], [5.0, -1.0], [0.0, 0.0]])
def test_efficiency_has_a_positive_limit(theta: list[float]) -> None:
    limit = closed.efficiency_limit(PHI, theta)
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
    weights, c = rng.dirichlet(np.ones(4)).tolist(), 1.0 if binary else upper
    population = Population(
        5, float(np.array(weights) @ phi.sum(axis=1)), float(np.array(weights) @ (phi**2).sum(axis=1)), c
    )
    coordinate = np.trace(enumerated_coordinate(phi, weights, alpha, c, np.full(5, 0.2)))
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


def test_the_printed_approximation_has_delta_bar_where_the_mean_norm_belongs() -> None:
    """(29): for binary statistics the second term is E‖φ‖₁(d − 1)."""
    d, delta_bar, alpha = 50, 10.0, 20.0
    population = Population(d, 2.0, 2.0)
    off = [coordinate_trace(population, alpha, delta_bar, form) for form in FORMS[2:]]
    assert off[0] - off[1] == pytest.approx((delta_bar - 2.0) * (d - 1))


@pytest.mark.parametrize("d", [4, 25, 100, 2_500])
def test_the_schemes_cross_near_the_root_of_d(d: int) -> None:
    assert crossover(d, 1e-3) == pytest.approx(np.sqrt(d), rel=1e-3)
    at = crossover(d, 1.0)
    population = Population(d, at, at)
    assert coordinate_trace(population, 1.0, at) == pytest.approx(per_value_trace(population, 1.0, at), rel=1e-8)


def test_for_large_alpha_per_value_is_cheaper_however_dense() -> None:
    assert crossover(10, 10.0) == np.inf
    population = Population(10, 10.0, 10.0)
    assert per_value_trace(population, 10.0, 10.0) < coordinate_trace(population, 10.0, 10.0)


@given(st.integers(10, 1_000), st.floats(0.1, 3))
def test_sparse_wants_per_value_and_dense_wants_coordinate(d: int, alpha: float) -> None:
    sparse, dense = Population(d, 1.0, 1.0), Population(d, float(d), float(d))
    assert per_value_trace(sparse, alpha, 1.0) < coordinate_trace(sparse, alpha, 1.0)
    assert coordinate_trace(dense, alpha, float(d)) < per_value_trace(dense, alpha, float(d))


test_impossible_parameters_name_the_rule = refused(
    (lambda: closed.flip_variance(0.0), "alpha must be positive"),
    (lambda: closed.response_loss(PHI, [0.0, 0.0], 0.0), "epsilon"),
    (lambda: closed.response_loss(PHI, [0.0, 0.0], 0.5, [0.5, 0.6, 0.0, 0.0]), "base must be a distribution"),
    (Population, 3, 1.0, 2.0, "mean_square must lie"),
    (Population, 3, 4.0, 4.0, "mean_norm must lie"),
    (coordinate_trace, Population(3, 1.0, 1.0), 1.0, 1.0, "guessed", "form must be one of"),
    (per_value_trace, Population(3, 1.0, 1.0), 0.0, 1.0, "alpha must be positive"),
)
