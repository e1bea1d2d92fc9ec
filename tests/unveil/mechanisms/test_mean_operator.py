"""The release: its noise, and its exact privacy loss."""

from __future__ import annotations

from math import exp, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import Generator, default_rng
from numpy.testing import assert_allclose
from scipy import stats

from checks import FALSE_ALARM, assert_frequencies, assert_mean
from refusals import refused
from unveil.mechanisms.mean_operator import MeanOperatorRelease, mean_operator, radial_noise
from unveil.types import Floats

NOISES = ["printed", "laplace", "gamma"]


def ball(m: int, d: int, rng: Generator) -> Floats:
    X = rng.normal(size=(m, d))
    return np.asarray(X / np.maximum(1, np.linalg.norm(X, axis=1, keepdims=True)))


def log_ratio(mechanism: MeanOperatorRelease, outputs: Floats, mu: Floats, other: Floats, m: int) -> Floats:
    """log p(output | μ) − log p(output | μ'), from the densities as the paper writes them."""
    scale = mechanism.scale(m, len(mu))
    order = 2 if mechanism.noise == "gamma" else 1
    near, far = (np.linalg.norm(outputs - centre, ord=order, axis=-1) for centre in (mu, other))
    return np.asarray((far - near) / scale)


def test_mean_operator_by_hand() -> None:
    X = np.array([[1.0, 2.0], [3.0, -1.0], [0.0, 4.0]])
    assert_allclose(mean_operator(X, [1, -1, -1]), [-2 / 3, -1 / 3])
    assert_allclose(mean_operator(X, np.array([1, -1, -1], dtype=np.int8)), [-2 / 3, -1 / 3])


def test_scales_are_those_of_the_text() -> None:
    assert MeanOperatorRelease(0.5, "printed").scale(100, 9) == pytest.approx(2 / (100 * 0.5))
    assert MeanOperatorRelease(0.5, "laplace").scale(100, 9) == pytest.approx(2 * 3 / (100 * 0.5))
    assert MeanOperatorRelease(0.5, "laplace", l1_bound=1.5).scale(100, 9) == pytest.approx(2 * 1.5 / (100 * 0.5))
    assert MeanOperatorRelease(0.5, "gamma", bound=3).scale(100, 9) == pytest.approx(2 * 3 / (100 * 0.5))


def test_radial_noise_has_a_gamma_length_and_no_preferred_direction() -> None:
    noise = radial_noise(2.0, (20_000, 4), default_rng(1))
    lengths = np.linalg.norm(noise, axis=1)
    assert stats.kstest(lengths, stats.gamma(4, scale=0.5).cdf).pvalue > FALSE_ALARM
    assert_mean(noise, np.zeros(4))
    assert_frequencies(np.bincount((noise > 0) @ [1, 2, 4, 8], minlength=16), np.full(16, 1 / 16))


@pytest.mark.parametrize("noise", NOISES)
@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), d=st.integers(1, 6), alpha=st.floats(0.05, 5))
def test_closed_form_bounds_the_log_ratio_everywhere_and_is_attained(
    noise: str, seed: int, d: int, alpha: float
) -> None:
    rng = default_rng(seed)
    X, y = ball(7, d, rng), rng.choice([-1, 1], 7)
    mechanism = MeanOperatorRelease(alpha, noise)
    exact, mu = mechanism.tight_epsilon(X), mean_operator(X, y)
    worst = -np.inf
    for i in range(7):
        other = mean_operator(X, np.where(np.arange(7) == i, -y, y))
        around = mechanism.perturb(np.tile(mu, (200, 1)), 7, rng)
        beyond = mu + 50 * (mu - other)  # the far side of μ, seen from μ'
        ratios = log_ratio(mechanism, np.vstack([around, beyond]), mu, other, 7)
        assert np.max(np.abs(ratios)) <= exact * (1 + 1e-9)
        worst = max(worst, float(ratios[-1]))
    assert worst == pytest.approx(exact, rel=1e-9)
    assert exact <= mechanism.worst_epsilon(d) * (1 + 1e-9)


def test_printed_scale_breaks_theorem_9_by_the_square_root_of_d() -> None:
    X = np.full((5, 16), 0.25)  # ‖x‖₂ = 1, ‖x‖₁ = 4
    assert MeanOperatorRelease(0.3, "printed").tight_epsilon(X) == pytest.approx(0.3 * 4)
    assert MeanOperatorRelease(0.3, "printed").worst_epsilon(16) == pytest.approx(0.3 * 4)
    for noise in ("laplace", "gamma"):
        assert MeanOperatorRelease(0.3, noise).tight_epsilon(X) == pytest.approx(0.3)
        assert MeanOperatorRelease(0.3, noise).worst_epsilon(16) == pytest.approx(0.3)
    axes = np.eye(16)
    assert MeanOperatorRelease(0.3, "printed").tight_epsilon(axes) == pytest.approx(0.3)


def test_worst_level_allows_for_declared_bounds() -> None:
    assert MeanOperatorRelease(1.0, "printed", l1_bound=1.2).worst_epsilon(100) == pytest.approx(1.2)
    assert MeanOperatorRelease(1.0, "laplace", l1_bound=50.0).worst_epsilon(100) == pytest.approx(0.2)


test_bad_input_is_named = refused(
    *((MeanOperatorRelease, alpha, "alpha must be a positive") for alpha in (0, np.nan)),
    (lambda: MeanOperatorRelease(1, "normal"), "noise must be one of"),
    (lambda: MeanOperatorRelease(1, bound=-1), "bound must be"),
    (lambda: MeanOperatorRelease(1, l1_bound=0), "l1_bound must be"),
    (lambda: MeanOperatorRelease(1).worst_epsilon(0), "d must be"),
    *((mean_operator, np.ones((2, 2)), y, "y must hold the labels -1 and") for y in ([0, 1], ["a", "b"], [1, np.nan])),
    (lambda: mean_operator(np.ones((2, 2)), [1, 1, 1]), r"y must have shape \(2,\)"),
    (lambda: mean_operator(np.full((2, 2), np.nan), [1, 1]), "X must hold finite numbers"),
    (lambda: mean_operator([["a"]], [1]), "X must hold numbers"),
    (lambda: mean_operator(np.ones(3), [1, 1, 1]), "X must have two dimensions"),
    (lambda: mean_operator(np.ones((0, 3)), []), "at least one row"),
    (lambda: MeanOperatorRelease(1).release([[0.9, 0.9]], [1], default_rng(0)), r"‖x‖₂ ≤ bound = 1: row 0 has 1.27"),
    (
        lambda: MeanOperatorRelease(1, l1_bound=1).release([[0.1, 0], [0.7, 0.7]], [1, 1], default_rng(0)),
        "l1_bound = 1: row 1",
    ),
)


def test_a_single_class_is_released_like_any_other() -> None:
    """An error there would tell the labels."""
    X = ball(10, 2, default_rng(3))
    assert MeanOperatorRelease(1.0).release(X, np.ones(10), default_rng(4)).shape == (2,)


def test_norms_may_exceed_the_bound_by_single_precision() -> None:
    X = np.full((1, 2), sqrt(0.5), dtype=np.float32) * np.float32(1 + 1e-7)
    assert np.isfinite(MeanOperatorRelease(exp(0)).release(X, [1], default_rng(0))).all()
