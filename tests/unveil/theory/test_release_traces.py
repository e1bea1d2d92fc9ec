from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refusals import refused
from unveil.theory import release_variances as closed
from unveil.theory.release_traces import FORMS, Population, coordinate_trace, crossover, per_value_trace


@given(st.integers(0, 2**32 - 1), st.floats(0.1, 8), st.floats(0.5, 3), st.booleans())
def test_traces_are_those_of_the_matrices(seed: int, alpha: float, upper: float, binary: bool) -> None:
    rng = np.random.default_rng(seed)
    phi = rng.integers(0, 2, (6, 5)).astype(float) if binary else rng.uniform(0, upper, (6, 5))
    weights, c = rng.dirichlet(np.ones(6)), 1.0 if binary else upper
    population = Population(5, float(weights @ phi.sum(axis=1)), float(weights @ (phi**2).sum(axis=1)), c)
    exact = (
        np.trace(closed.coordinate_loss(phi, weights, alpha, c)),
        np.trace(closed.per_value_loss(phi, weights, alpha, 5.0, c)),
    )
    assert coordinate_trace(population, alpha, 5.0) == pytest.approx(exact[0], rel=1e-9)
    assert per_value_trace(population, alpha, 5.0) == pytest.approx(exact[1], rel=1e-9)
    printed = (
        np.trace(closed.coordinate_loss_printed(phi, weights, alpha)),
        np.trace(closed.per_value_loss_printed(phi, alpha, 5.0)),
    )
    assert coordinate_trace(population, alpha, 5.0, "printed") == pytest.approx(printed[0], rel=1e-9)
    assert per_value_trace(population, alpha, 5.0, "printed") == pytest.approx(printed[1], rel=1e-9)


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


test_impossible_input_names_the_rule = refused(
    (Population, 3, 1.0, 2.0, "mean_square must lie"),
    (Population, 3, 4.0, 4.0, "mean_norm must lie"),
    (coordinate_trace, Population(3, 1.0, 1.0), 1.0, 1.0, "guessed", "form must be one of"),
    (per_value_trace, Population(3, 1.0, 1.0), 0.0, 1.0, "alpha must be positive"),
)
