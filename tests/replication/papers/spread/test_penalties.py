"""Other divergences: point masses by brute force, and closed forms of where each ends."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replication.papers.spread.divergences.penalties import GENERATORS, fitted_law, fitted_share, penalty
from unveil.types import Floats

P = 0.2


@pytest.mark.parametrize("divergence", GENERATORS)
def test_penalty_is_the_divergence_from_a_point_mass(divergence: str) -> None:
    generator, _ = GENERATORS[divergence]
    assert generator(1.0) == pytest.approx(0)
    for model in (0.2, 0.7):
        # A nearly empty second state instead of an empty one.
        tiny = 1e-9
        near = (1 - tiny) * generator(model / (1 - tiny)) + tiny * generator((1 - model) / tiny)
        assert penalty(divergence, model) == pytest.approx(near, abs=1e-3)


def _seen(theta: float) -> float:
    return P + (1 - 2 * P) * theta


@given(st.floats(0.05, 0.95))
def test_limits_of_single_observations(theta: float) -> None:
    m = _seen(theta)
    limits = {"kl": m, "hellinger": m**2 / (m**2 + (1 - m) ** 2), "neyman": np.sqrt(m) / (np.sqrt(m) + np.sqrt(1 - m))}
    for divergence, one in limits.items():
        expected = np.clip((one - P) / (1 - 2 * P), 0, 1)
        assert fitted_share(divergence, m, P, target="datum") == pytest.approx(expected, abs=1e-4)
    if abs(m - 0.5) > 1e-6:
        assert fitted_share("total_variation", m, P, target="datum") == float(m > 0.5)


def test_frequencies_out_of_reach_end_at_the_edge() -> None:
    for divergence in GENERATORS:
        assert fitted_share(divergence, 0.0, P, target="frequencies") == 0
        assert fitted_share(divergence, 1.0, P, target="frequencies") == 1


@pytest.mark.parametrize("divergence", GENERATORS)
def test_with_two_states_laws_are_shares(divergence: str) -> None:
    for theta in (0.15, 0.6):
        found = fitted_law(divergence, np.array([theta, 1 - theta]), P)[0]
        expected = fitted_share(divergence, _seen(theta), P, target="datum")
        assert found == pytest.approx(expected, abs=2e-4)


def test_the_limit_of_three_states_is_a_minimum_over_a_grid() -> None:
    """By brute force over the simplex."""
    law, steps = np.array([0.5, 0.3, 0.2]), 60
    grid = np.array([(i, j, steps - i - j) for i in range(steps + 1) for j in range(steps + 1 - i)]) / steps
    other = P / 2
    seen = other + (1 - P - other) * law

    def value(name: str, p: Floats) -> float:
        return float(sum(q * penalty(name, float(other + (1 - P - other) * x)) for q, x in zip(seen, p, strict=True)))

    for name in GENERATORS:
        assert value(name, fitted_law(name, law, P)) <= min(value(name, p) for p in grid) + 1e-9
