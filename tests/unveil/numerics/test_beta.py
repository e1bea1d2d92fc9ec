from __future__ import annotations

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betainc, betaincc

from unveil.numerics.beta import beta_tails, log_gamma_step


def exact_tails(a: float, b: float, log_odds: float) -> tuple[float, float]:
    """Both tails with fifty digits."""
    with mpmath.workdps(50):
        x = 1 / (1 + mpmath.exp(-mpmath.mpf(log_odds)))
        y = 1 / (1 + mpmath.exp(mpmath.mpf(log_odds)))
        lower = mpmath.betainc(a, b, 0, x, regularized=True)
        upper = mpmath.betainc(b, a, 0, y, regularized=True)
        return float(upper), float(lower)


@given(st.floats(-10, 10), st.floats(-12, -1e-3))
def test_log_gamma_step_keeps_relative_accuracy(log_x: float, log_share: float) -> None:
    x = 10.0**log_x
    step = x * 10.0**log_share
    with mpmath.workdps(60):
        exact = float(mpmath.loggamma(mpmath.mpf(x)) - mpmath.loggamma(mpmath.mpf(x) - mpmath.mpf(step)))
    assert log_gamma_step(x, step) == pytest.approx(exact, rel=1e-11, abs=1e-11 * step)


def test_log_gamma_step_of_the_whole_argument_is_infinite() -> None:
    assert log_gamma_step(0.5, 0.5) == np.inf


@pytest.mark.parametrize(("a", "b"), [(1e-9, 2e-9), (1e-3, 0.2), (0.01, 40.0), (3.0, 2.0), (900.0, 30.0), (3e3, 400.0)])
@pytest.mark.parametrize("deviations", [-6.0, -1.0, 0.0, 0.3, 4.0])
def test_tails_agree_with_fifty_digits(a: float, b: float, deviations: float) -> None:
    log_odds = np.log(a / b) + deviations * np.sqrt(1 / a + 1 / b) * min(1.0, a, b)
    upper, lower = exact_tails(a, b, log_odds)
    ours = beta_tails(a, b, log_odds)
    assert ours == pytest.approx((upper, lower), rel=1e-10, abs=1e-14)


@pytest.mark.parametrize("shape", [2.5e4, 1e6, 1e9, 1e14])
@pytest.mark.parametrize("deviations", [-5.0, -1.0, 1e-3, 2.0])
def test_large_shapes_agree_with_the_library(shape: float, deviations: float) -> None:
    a, b = shape, 3 * shape
    log_odds = np.log(a / b) + deviations * np.sqrt(1 / a + 1 / b)
    x = 1 / (1 + np.exp(-log_odds))
    expected = betaincc(a, b, x), betainc(a, b, x)
    assert beta_tails(a, b, log_odds) == pytest.approx(expected, rel=2e-7)


def test_a_threshold_that_overflows_does_not_look_like_privacy() -> None:
    # P[1 − X < e^(−t)] is e^(−bt)/(b B(a, b)) to first order, also where e^(−t) is no float any more.
    a, b, t = 1e-3, 2e-3, 1e5
    with mpmath.workdps(30):
        expected = float(mpmath.exp(-b * t) / (b * mpmath.beta(a, b)))
    assert 0 < expected < 1e-80
    assert beta_tails(a, b, t)[0] == pytest.approx(expected, rel=1e-9)


def test_point_masses_and_infinite_thresholds() -> None:
    assert beta_tails(0.0, 2.0, 0.0) == (0.0, 1.0)
    assert beta_tails(2.0, 0.0, 0.0) == (1.0, 0.0)
    assert beta_tails(2.0, 2.0, np.inf) == (0.0, 1.0)
    assert beta_tails(2.0, 2.0, -np.inf) == (1.0, 0.0)
