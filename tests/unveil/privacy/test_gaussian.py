"""The exact privacy of Gaussian noise against the integral, down to tiny δ."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from refusals import refused
from unveil.privacy.gaussian import gaussian_delta, gaussian_epsilon


@pytest.mark.parametrize(("shift", "epsilon"), [(0.2, 0.0), (1.0, 1.0), (3.0, 2.0), (1.0, 6.0), (8.0, 60.0)])
def test_delta_matches_the_integral(shift: float, epsilon: float) -> None:
    edge = shift / 2 + epsilon / shift
    exact, _ = integrate.quad(
        lambda x: stats.norm.pdf(x - shift) - math.exp(epsilon) * stats.norm.pdf(x), edge, edge + 12, epsabs=0
    )
    assert gaussian_delta(shift, epsilon) == pytest.approx(exact, rel=1e-7)


@given(st.floats(0.01, 60), st.floats(1e-12, 0.5))
def test_epsilon_inverts_delta(shift: float, delta: float) -> None:
    epsilon = gaussian_epsilon(shift, delta)
    assert 0 <= epsilon < math.inf
    if epsilon > 0:
        assert gaussian_delta(shift, epsilon) == pytest.approx(delta, rel=1e-4)
    else:
        assert gaussian_delta(shift, 0.0) <= delta


test_bad_input = refused((gaussian_delta, 0.0, 1.0, "shift"), (gaussian_epsilon, 1.0, 0.0, "delta"))
