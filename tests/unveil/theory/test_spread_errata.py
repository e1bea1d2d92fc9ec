"""Misprints of the paper that no other test demonstrates."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.special import expit

from unveil.mechanisms.flips import LabelFlips
from unveil.types import Floats

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(80)
MASS = WEIGHTS / WEIGHTS.sum()


def test_divergence_from_the_data_is_minus_the_likelihood() -> None:
    """(12) prints KL = L + constant; the sign of L must be minus, or minimising would not maximise it."""
    data, values = np.array([0, 1, 1, 1]), np.array([0.2, 0.5, 0.75])
    likelihood = [np.mean(np.log(np.where(data == 1, theta, 1 - theta))) for theta in values]
    empirical = np.array([0.25, 0.75])
    divergence = [float(empirical @ np.log(empirical / [1 - theta, theta])) for theta in values]
    total = np.add(divergence, likelihood)
    np.testing.assert_allclose(total, total[0])
    assert np.ptp(np.subtract(divergence, likelihood)) > 0.1
    assert values[np.argmin(divergence)] == 0.75


def test_a_majority_of_three_is_two() -> None:
    """Section 1 takes the majority of three reports as "more than two": that is right less often than one report."""
    matrix = LabelFlips(0.2).matrix
    right = {2: 0.0, 3: 0.0}
    for truth, reports in product((0, 1), product((0, 1), repeat=3)):
        chance = 0.5 * np.prod(matrix[list(reports), truth])
        for needed in right:
            right[needed] += float(chance) * (int(sum(reports) >= needed) == truth)
    assert right[2] == pytest.approx(0.8**3 + 3 * 0.8**2 * 0.2)
    assert right[3] < 0.8 < right[2]


def _slope(angle: float, s: float, flips: Floats) -> float:
    """(106), the derivative of the noisy likelihood along the circle ‖θ‖ = 1, by a product rule."""
    one, two = (part.ravel() for part in np.meshgrid(NODES, NODES, indexing="ij"))
    mass = np.outer(MASS, MASS).ravel()
    gamma = flips[1, 0] + (flips[1, 1] - flips[1, 0]) * expit(s * one)
    phi = expit(s * (one * np.cos(angle) + two * np.sin(angle)))
    return float(s * mass @ ((gamma - phi) * (two * np.cos(angle) - one * np.sin(angle))))


@pytest.mark.parametrize("s", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("pair", [(0.2, 0.2), (0.3, 0.1)])
def test_second_derivative_has_one_term_only(s: float, pair: tuple[float, float]) -> None:
    """(107) leaves out + s E[ε φ(sε)], which by Stein's lemma cancels its second term."""
    flips = LabelFlips(*pair).matrix
    gamma = flips[1, 0] + (flips[1, 1] - flips[1, 0]) * expit(s * NODES)
    phi = expit(s * NODES)
    first, second = -s * (MASS @ (NODES * gamma)), -(s**2) * (MASS @ (phi * (1 - phi)))
    numeric = (_slope(1e-4, s, flips) - _slope(-1e-4, s, flips)) / 2e-4
    assert numeric == pytest.approx(first, rel=1e-5)
    assert abs(numeric - (first + second)) > 0.01
    assert s * (MASS @ (NODES * phi)) == pytest.approx(-second, rel=1e-6)
