from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.special import rel_entr

from refusals import refused
from replication.papers.linear_moments import simplex
from small_models import SmallModel, small_models, state_probabilities
from unveil.estimators.moments.solvers import match_moments, maximise_marginal_em
from unveil.theory.finite_models import log_marginal, probabilities

PHI = np.array([[2.0], [1.0], [0.0]])
SUPERVISION = np.array([[1 / 3, 1 / 6, 1 / 4], [1 / 3, 1 / 6, 1 / 2], [1 / 3, 2 / 3, 1 / 4]])


def divergence(p: ArrayLike, q: ArrayLike) -> float:
    """KL(p ‖ q)."""
    return float(rel_entr(p, q).sum())


@given(st.integers(1, 4), st.integers(2, 7), st.integers(0, 2**32 - 1))
def test_deterministic_supervision_is_one_em_step_from_uniform(k: int, m: int, seed: int) -> None:
    """Section 6: projecting S⁺q̂ onto the family is the first iteration of EM from θ = 0, exactly."""
    rng = np.random.default_rng(seed)
    outcome = np.concatenate([np.arange(min(k, m)), rng.integers(0, k, max(0, m - k))])
    supervision = np.eye(k)[:, outcome]
    frequencies = np.zeros(k)
    frequencies[: min(k, m)] = rng.dirichlet(np.full(min(k, m), 3.0))
    phi = np.vstack([np.zeros(2), np.eye(2), rng.uniform(size=(m, 2))])[:m] if m > 3 else rng.uniform(size=(m, 1))
    preimage = simplex.simplex_preimage(frequencies, supervision)
    assert np.isin(supervision, (0, 1)).all()
    possible = supervision.sum(axis=1) > 0
    printed = supervision[possible].T @ np.diag(1 / supervision[possible].sum(axis=1))
    assert_allclose(printed, np.linalg.pinv(supervision)[:, possible], atol=1e-12)
    stepped, _ = maximise_marginal_em(frequencies, phi, supervision, np.zeros(phi.shape[1]), steps=1)
    assert_allclose(probabilities(phi, match_moments(preimage @ phi, phi)), probabilities(phi, stepped), atol=1e-8)


@settings(max_examples=40)
@given(small_models(), st.integers(0, 2**32 - 1))
def test_relaxation_is_the_convex_minimum(model: SmallModel, seed: int) -> None:
    """EM over the simplex ends where a general constrained optimiser does, whatever its start."""
    rng = np.random.default_rng(seed)
    frequencies = rng.dirichlet(np.ones(len(model.supervision)))
    relaxed = simplex.simplex_relaxation(frequencies, model.supervision)
    other = simplex.simplex_relaxation(frequencies, model.supervision, start=rng.dirichlet(np.full(len(relaxed), 5.0)))
    reached = divergence(frequencies, model.supervision @ relaxed)
    assert reached == pytest.approx(divergence(frequencies, model.supervision @ other), abs=1e-9)
    found = minimize(
        lambda p: divergence(frequencies, model.supervision @ p),
        np.full(len(relaxed), 1 / len(relaxed)),
        bounds=[(1e-12, 1)] * len(relaxed),
        constraints={"type": "eq", "fun": lambda p: p.sum() - 1},
        method="SLSQP",
    )
    assert reached <= found.fun + 1e-7


def test_a_slope_that_is_rounding_is_no_stationary_point() -> None:
    """Far out the log-marginal is flat, and its slope a noise of both signs."""
    phi = np.array([[5.0], [-1.0], [0.0]])
    frequencies = np.array([0.25, 0.3, 0.45])
    points = simplex.stationary_points(phi, SUPERVISION, frequencies, -12, 12)
    values = log_marginal(phi, np.linspace(-12, 12, 200_001)[:, None], SUPERVISION, frequencies)
    slopes = np.diff(values)
    signs = np.sign(slopes[np.abs(slopes) > 1e-13])
    assert [kind for _, kind in points] == ["max" if sign > 0 else "min" for sign in signs[:-1][np.diff(signs) != 0]]
    assert all(abs(theta) < 6 for theta, _ in points)


@settings(max_examples=60)
@given(small_models())
def test_both_halves_are_exact_on_a_well_specified_population(model: SmallModel) -> None:
    truth = np.array(state_probabilities(model))
    assert_allclose(simplex.simplex_preimage(model.supervision @ truth, model.supervision), truth, atol=1e-9)


def test_stationary_points_of_figure_5() -> None:
    """By symmetry of φ about 1, o = 1 and o = 2 have mirrored minima at θ = ∓ln(1 + √3)."""
    points = [simplex.stationary_points(PHI, SUPERVISION, np.eye(3)[o], -10, 10) for o in range(3)]
    root = np.log(1 + np.sqrt(3))
    assert [kind for found in points for _, kind in found] == ["min", "min", "max"]
    assert points[0][0][0] == pytest.approx(-root, abs=1e-9)
    assert points[1][0][0] == pytest.approx(root, abs=1e-9)


test_impossible_input_names_the_rule = refused(
    (lambda: simplex.simplex_relaxation([0.5, 0.5], np.eye(2), start=[0.0, 1.0]), "positive on every state")
)
