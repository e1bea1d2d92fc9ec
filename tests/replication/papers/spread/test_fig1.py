"""The reconstruction objective: enumeration, slopes, maxima, and where these vanish."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replication.papers.spread.fig1.reconstruction import (
    critical_flip,
    em_limit,
    global_maxima,
    interior_maxima,
    objective,
    slope,
)

INSIDE, FLIP = st.floats(0.02, 0.98), st.floats(0.01, 0.45)


def _by_definition(theta: float, theta0: float, p: float) -> float:
    """(38), state by state."""
    channel = np.array([[1 - p, p], [p, 1 - p]])
    total = 0.0
    for seen in (0, 1):
        truth = channel[seen] @ [1 - theta0, theta0]
        joint = channel[seen] * [1 - theta, theta]
        total += float(truth * ((joint / joint.sum()) @ np.log([1 - theta, theta])))
    return total


@given(INSIDE, INSIDE, FLIP)
def test_objective_is_its_definition_and_slope_its_derivative(theta: float, theta0: float, p: float) -> None:
    assert float(objective(np.array(theta), theta0, p)) == pytest.approx(_by_definition(theta, theta0, p))
    h = 1e-6
    numeric = (_by_definition(theta + h, theta0, p) - _by_definition(theta - h, theta0, p)) / (2 * h)
    assert float(slope(np.array(theta), theta0, p)) == pytest.approx(numeric * theta * (1 - theta), abs=1e-7)


@given(INSIDE, INSIDE, FLIP)
def test_stopped_slope_is_the_spread_likelihoods(theta: float, theta0: float, p: float) -> None:
    def spread(at: float) -> float:
        seen, model = (p + (1 - 2 * p) * share for share in (theta0, at))
        return float(seen * np.log(model) + (1 - seen) * np.log(1 - model))

    numeric = (spread(theta + 1e-6) - spread(theta - 1e-6)) / 2e-6
    stopped = float(slope(np.array(theta), theta0, p, stopped=True))
    assert stopped == pytest.approx(numeric * theta * (1 - theta), abs=1e-7)


@given(st.floats(0, 1), FLIP)
def test_em_ends_at_the_truth(theta0: float, p: float) -> None:
    assert em_limit(theta0, p) == pytest.approx(theta0, abs=1e-6)


@pytest.mark.parametrize("p", [0.01, 0.05, 0.2, 0.4])
@pytest.mark.parametrize("theta0", [0.0, 0.3, 0.5, 0.9])
def test_with_noise_the_global_maximum_is_tied_at_the_ends(theta0: float, p: float) -> None:
    grid = np.linspace(0, 1, 2001)
    values = objective(grid, theta0, p)
    assert global_maxima(theta0, p) == [0.0, 1.0]
    assert values[0] == values[-1] == 0
    assert values[1:-1].max() < 0
    inner = np.flatnonzero((values[1:-1] > values[:-2]) & (values[1:-1] > values[2:]))
    np.testing.assert_allclose(grid[1:-1][inner], interior_maxima(theta0, p), atol=1e-3)


def test_without_noise_the_maximum_is_the_truth() -> None:
    assert global_maxima(0.3, 0.0) == [0.3]
    assert interior_maxima(0.3, 0.0) == pytest.approx([0.3])
    grid = np.linspace(0, 1, 101)
    assert grid[np.argmax(objective(grid, 0.3, 0.0))] == pytest.approx(0.3)


def test_critical_flip_depends_on_the_truth() -> None:
    # At θ₀ = 1/2 the curvature of J_∞ at 1/2 changes sign where (1 − 2p)² = 1/2.
    assert critical_flip(0.5) == pytest.approx((1 - np.sqrt(0.5)) / 2, abs=1e-5)
    values = [critical_flip(theta0) for theta0 in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)]
    assert np.all(np.diff(values) > 0)
    assert critical_flip(0.3) == pytest.approx(critical_flip(0.7), abs=1e-6)
    assert interior_maxima(0.3, critical_flip(0.3) - 1e-4)
    assert not interior_maxima(0.3, critical_flip(0.3) + 1e-4)
