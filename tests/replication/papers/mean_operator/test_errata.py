"""Errors of the mean operator's paper that no test of a library function shows."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.testing import assert_allclose
from scipy.stats import norm

from checks import FALSE_ALARM, assert_mean
from unveil.estimators.bags.mean_map import mean_map
from unveil.mechanisms.mean_operator import MeanOperatorRelease
from unveil.types import Array, Floats

#: Shares of positives in four bags, which have 1,000 members each.
SHARES = np.array([0.2, 0.4, 0.6, 0.9])


def population(positive: Floats, negative: Floats) -> tuple[Floats, Array, Array]:
    """One row for each member of the four bags, at the mean of its class in its bag."""
    ones = (1000 * SHARES).astype(int)
    rows = [np.repeat([positive[j], negative[j]], [ones[j], 1000 - ones[j]], axis=0) for j in range(len(SHARES))]
    signs = [np.repeat([1, -1], [ones[j], 1000 - ones[j]]) for j in range(len(SHARES))]
    return np.concatenate(rows), np.concatenate(signs), np.repeat(np.arange(4), 1000)


def test_mean_map_needs_classes_alike_in_all_bags_not_labels_without_meaning() -> None:
    rng = default_rng(1)
    # E[x | y, j] = E[x | y]: exact, although E[x | j] differs from bag to bag.
    X, y, bags = population(*(np.tile(rng.normal(size=3), (4, 1)) for _ in range(2)))
    assert_allclose(mean_map(X, bags, SHARES), y @ X / len(y), atol=1e-12)
    # The printed condition, E[x | y, j] = E[x | j]: bags differ, labels say nothing inside of one.
    middle = rng.normal(size=(4, 3))
    X, y, bags = population(middle, middle)
    assert np.abs(mean_map(X, bags, SHARES) - y @ X / len(y)).max() > 0.1


def test_no_linear_bound_holds_under_a_penalty_that_is_squared_twice() -> None:
    """The linear loss with λ‖θ‖² moves in proportion to μ; with λ(‖θ‖²)² like its cube root."""
    l2 = 0.5
    shifts = np.array([1.0, 1e-3, 1e-6])
    grid = np.linspace(0, 2, 2_000_001)
    for power, proportional in ((2, True), (4, False)):
        moved = np.array([grid[np.argmin(-shift / 2 * grid + l2 * grid**power)] for shift in shifts[:2]])
        closed = (shifts / (2 * power * l2)) ** (1 / (power - 1))
        assert_allclose(moved, closed[:2], atol=1e-6)
        assert np.allclose(closed / shifts, 1 / (4 * l2)) == proportional
        assert (closed[-1] > shifts[-1] / l2) == (not proportional)


def test_two_over_m_alpha_is_a_scale_and_no_variance() -> None:
    m, alpha, n = 50, 0.4, 200_000
    mechanism = MeanOperatorRelease(alpha, "printed")
    X = np.tile([[1.0, 0.0]], (m, 1))
    assert mechanism.tight_epsilon(X) == pytest.approx(alpha)
    noise = mechanism.perturb(np.zeros((n, 1)), m, default_rng(2))
    assert_mean(noise**2, [8 / (m * alpha) ** 2])
    with pytest.raises(AssertionError):
        assert_mean(noise**2, [2 / (m * alpha)])
    # Laplace noise of that variance has this scale, and level.
    scale = np.sqrt(2 / (m * alpha) / 2)
    assert 2 / m / scale == pytest.approx(2 * np.sqrt(alpha / m))
    assert abs(2 / m / scale - alpha) > 0.1


@pytest.mark.parametrize("d", [2, 5])
def test_the_union_bound_is_about_some_entry_not_about_all(d: int) -> None:
    n, t = 200_000, 1.5
    noise = np.abs(default_rng(d).laplace(size=(n, d)))
    one = np.exp(-t)
    some, every = (noise > t).any(axis=1).mean(), (noise > t).all(axis=1).mean()
    wide = norm.isf(FALSE_ALARM) / np.sqrt(4 * n)
    assert abs(some - (1 - (1 - one) ** d)) < wide
    assert abs(every - one**d) < wide
    # What the proof needs is the length of b; the chance of "all" is below it, and not d·P(|b_i| > t) either.
    assert (np.linalg.norm(noise, axis=1) > t).mean() > every + wide
    assert every < one - wide < d * one
    assert some <= d * one + wide
