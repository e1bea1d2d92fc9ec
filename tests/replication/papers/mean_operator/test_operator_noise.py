"""Theorems 6 and 10: the stated bounds, where they fail, and the corrected ones."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from checks import FALSE_ALARM
from refusals import refused
from replication.papers.mean_operator import operator_noise as theory
from unveil.estimators.statistics import losses
from unveil.estimators.statistics.classifier import MeanOperatorClassifier
from unveil.mechanisms.label_perturbation import LabelResponse
from unveil.mechanisms.mean_operator import MeanOperatorRelease


@pytest.mark.parametrize(
    "loss", [losses.LOGISTIC, losses.SQUARE, losses.MATSUSHITA, losses.LINEAR], ids=lambda loss: loss.name
)
@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1), l2=st.floats(0.001, 1))
def test_theorem_6_sharp_bound_holds(loss: losses.LinearOddLoss, seed: int, l2: float) -> None:
    rng = np.random.default_rng(seed)
    X, mu, noise = rng.normal(size=(30, 3)), rng.normal(size=3), rng.normal(size=3)
    one, other = (MeanOperatorClassifier(loss, l2=l2).fit_statistic(X, s).coef_[0] for s in (mu, mu + noise))
    shift, moved = float(np.linalg.norm(noise)), float(np.linalg.norm(one - other))
    assert moved <= theory.shift_bound_sharp(shift, l2, loss.a) * (1 + 1e-6) + 1e-7
    if loss is losses.LINEAR:
        assert moved == pytest.approx(theory.shift_bound_sharp(shift, l2, loss.a), rel=1e-6)


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), d=st.integers(1, 8), delta=st.floats(0.001, 0.5))
def test_theorem_10_holds_for_a_fixed_theta(seed: int, d: int, delta: float) -> None:
    u = np.random.default_rng(seed).standard_t(1, size=d)
    u /= np.linalg.norm(u)
    t = log(d / delta)
    assert theory.combination_tail(u, t) <= delta + 1e-9
    chernoff = theory.deviation_bound_fixed(1.0, 1.0, 1, 1.0, d, delta)
    assert theory.combination_tail(u, chernoff) <= delta + 1e-9


def test_the_proof_of_theorem_10_for_a_fixed_theta() -> None:
    """Its two steps, draw by draw: Laplace variables share one normal, and a mean is at most the largest."""
    rng, n, d = np.random.default_rng(4), 200_000, 5
    u = rng.standard_normal(d)
    u /= np.linalg.norm(u)
    exponentials, g = rng.exponential(size=(n, d)), np.abs(rng.standard_normal(n))
    combined, each = np.sqrt(2 * exponentials @ u**2) * g, np.sqrt(2 * exponentials) * g[:, None]
    assert (combined <= each.max(axis=1) * (1 + 1e-12)).all()
    for t in (0.5, 2.0, 4.0):
        tail = theory.combination_tail(u, t)
        assert stats.binomtest(int(np.sum(combined > t)), n, tail).pvalue > FALSE_ALARM
        assert stats.binomtest(int(np.sum(each[:, 0] > t)), n, exp(-t)).pvalue > FALSE_ALARM
        assert tail <= d * exp(-t)


@pytest.mark.parametrize("d", [1, 2, 3, 10])
@pytest.mark.parametrize("t", [0.5, 1.0, 3.0, 6.0])
def test_the_worst_direction_is_no_better_than_any_drawn(d: int, t: float) -> None:
    rng = np.random.default_rng(d)
    worst, share = theory.worst_tail(d, t)
    assert worst <= d * exp(-t) + 1e-9
    assert 1 / d - 1e-12 <= share <= 1
    drawn = [theory.combination_tail(u / np.linalg.norm(u), t) for u in rng.standard_t(1, size=(20, d))]
    assert worst >= max(drawn) - 2e-3


def test_tail_of_a_combination_by_closed_form_and_by_simulation() -> None:
    c, s = 0.8, 0.6
    for t in (0.0, 0.3, 1.0, 4.0):
        assert theory.combination_tail(np.array([1.0]), t) == pytest.approx(exp(-t), abs=1e-9)
        two = (c**2 * exp(-t / c) - s**2 * exp(-t / s)) / (c**2 - s**2)
        assert theory.combination_tail(np.array([c, s]), t) == pytest.approx(two, abs=1e-9)
    u = np.full(4, 0.5)
    draws = np.abs(np.random.default_rng(1).laplace(size=(200_000, 4)) @ u)
    assert stats.binomtest(int(np.sum(draws > 1.5)), 200_000, theory.combination_tail(u, 1.5)).pvalue > FALSE_ALARM


@pytest.mark.parametrize("noise", ["laplace", "gamma"])
@pytest.mark.parametrize("alpha", [0.1, 1.0, 3.0])
def test_crossover_is_where_the_mean_squares_meet(noise: str, alpha: float) -> None:
    rng, d, l1 = np.random.default_rng(2), 4, 1.7
    m = int(np.ceil(theory.crossover_size(noise, d, alpha, l1)))
    draws = MeanOperatorRelease(alpha, noise, l1_bound=l1).perturb(np.zeros((100_000, d)), m, rng)
    ours = np.mean(np.sum(draws**2, axis=1))
    theirs = LabelResponse(alpha).deviation ** 2 / m  # for rows of norm 1
    assert ours == pytest.approx(theirs, rel=max(0.03, 1.1 / m))


test_bad_input_is_named = refused(
    (theory.shift_bound_stated, 1, 0, "l2 must be positive"),
    (theory.shift_bound_sharp, 1, -1, 1, "l2 must be positive"),
    (theory.deviation_bound_stated, 1, 1, 1, 1, 1, 0, "delta must lie"),
    (theory.deviation_bound_fixed, 1, 1, 1, 1, 0, 0.1, "d must be"),
    (theory.combination_tail, np.ones(1), -1, "t must be"),
    (theory.crossover_size, "printed", 2, 1, 1, "noise must be"),
    (theory.crossover_size, "gamma", 2, 0, 1, "alpha must be"),
)
