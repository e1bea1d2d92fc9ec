from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad
from scipy.special import gammaln

from checks import assert_mean
from refusals import refused
from unveil.errors import NoValidScale, UnveilError
from unveil.mechanisms.dirichlet_draws import draw_dirichlet
from unveil.mechanisms.dirichlet_scale import dirichlet_scale
from unveil.privacy.dirichlet import _inversion, _two_classes, dirichlet_delta, neighbours, true_delta
from unveil.privacy.pair import hockey_stick
from unveil.types import Array

DEFAULT = np.array([50.0, 50.0, 50.0, 50.0, 800.0])


def published_scale(values: Array) -> float:
    return dirichlet_scale(values, 0.05, 0.05, "paper")


def losses(shapes: Array, others: Array, draws: int, seed: int) -> Array:
    """Privacy losses log f₀/f₁ at draws from Dir(shapes)."""
    theta = draw_dirichlet(np.tile(shapes, (draws, 1)), np.random.default_rng(seed))
    theta = np.maximum(theta, 1e-300)
    constant = gammaln(shapes.sum()) - gammaln(shapes).sum() - gammaln(others.sum()) + gammaln(others).sum()
    return np.asarray(constant + np.log(theta) @ (shapes - others))


def test_inversion_agrees_with_integration_over_three_classes() -> None:
    """On a grid of log-ratios, in which a Dirichlet density is smooth and falls on every side."""
    shapes, others, epsilon = np.array([3.0, 2.0, 4.0]), np.array([2.6, 2.2, 3.1]), 0.1
    u, step = np.linspace(-18, 12, 1500, retstep=True)
    logits = np.stack([*np.meshgrid(u, u), np.zeros((len(u), len(u)))])
    log_theta = logits - np.logaddexp.reduce(logits, axis=0)

    def density(a: Array) -> Array:  # with the Jacobian θ₁θ₂θ₃ of the log-ratios
        return np.asarray(np.exp(gammaln(a.sum()) - gammaln(a).sum() + np.tensordot(a, log_theta, 1)))

    expected = np.maximum(density(shapes) - np.exp(epsilon) * density(others), 0).sum() * step**2
    assert density(shapes).sum() * step**2 == pytest.approx(1.0, abs=1e-9)
    assert _inversion(shapes, others, epsilon) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    ("shapes", "others"), [((3, 5), (2.5, 5.5)), ((3, 5), (2.5, 4)), ((2, 4), (3, 5.5)), ((0.4, 7), (0.5, 6))]
)
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0])
def test_two_classes_against_integration(
    shapes: tuple[float, float], others: tuple[float, float], epsilon: float
) -> None:
    here, there = stats.beta(*shapes), stats.beta(*others)

    def gain(t: float) -> float:  # over the log-odds, where no density is infinite
        x = 1 / (1 + np.exp(-t))
        slope = x * (1 - x)
        return max(float(slope * (here.pdf(x) - np.exp(epsilon) * there.pdf(x))), 0.0)

    expected, _ = quad(gain, -60, 30, limit=2000, points=[-5, -2, -1, 0, 1, 2])
    assert _two_classes(np.array(shapes, float), np.array(others, float), epsilon) == pytest.approx(expected, abs=1e-7)


@settings(max_examples=200)
@given(st.integers(0, 2**32 - 1))
def test_inversion_agrees_with_two_classes_from_tiny_to_huge_shapes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shapes = 10 ** rng.uniform(-4, 5, size=2)
    others = shapes * np.exp(rng.normal(size=2) * 10 ** rng.uniform(-5, 0))
    epsilon = float(10 ** rng.uniform(-3, 0.5))
    expected = _two_classes(shapes, others, epsilon)
    assert _inversion(shapes, others, epsilon) == pytest.approx(expected, rel=1e-6, abs=1e-8)


@given(st.integers(0, 2**32 - 1))
def test_inversion_agrees_with_one_moved_label_among_many_classes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = np.maximum(np.round(10 ** rng.uniform(0.5, 5, size=rng.integers(3, 12))), 3)
    neighbour = counts.copy()
    neighbour[:2] += [-1, 1]
    scale, epsilon = float(10 ** rng.uniform(-5, 1)), float(10 ** rng.uniform(-3, 0.5))
    expected = hockey_stick(counts[0], counts[1], scale, epsilon)
    assert _inversion(scale * counts, scale * neighbour, epsilon) == pytest.approx(expected, rel=1e-5, abs=1e-7)
    assert dirichlet_delta(counts, neighbour, scale, scale, epsilon) == expected


def test_disjoint_and_equal_releases() -> None:
    assert dirichlet_delta([2, 0, 5], [1, 1, 5], 0.1, 0.1, 0.5) == 1.0
    assert dirichlet_delta([2, 1, 5], [2, 0, 6], 0.1, 0.1, 0.5) == 1.0
    assert dirichlet_delta([2, 3, 5], [2, 3, 5], 0.1, 0.1, 0.5) == 0.0
    assert dirichlet_delta([2, 0, 5], [3, 0, 4], 0.1, 0.1, 0.0) == pytest.approx(hockey_stick(5, 2, 0.1, 0.0))


def test_far_apart_scales_are_told_apart_and_nothing_overflows() -> None:
    assert dirichlet_delta([50, 60, 70], [50, 60, 70], 1e-3, 50.0, 0.05) == pytest.approx(1.0, abs=0.2)
    assert dirichlet_delta(DEFAULT, DEFAULT, 0.1, 0.1 * (1 + 1e-9), 0.0) < 1e-6


def test_neighbours_are_all_kinds_once() -> None:
    kinds = {tuple(other - DEFAULT) for other in neighbours(DEFAULT)}
    assert kinds == {(-1, 1, 0, 0, 0), (-1, 0, 0, 0, 1), (1, 0, 0, 0, -1)}
    assert len(neighbours([3, 0, 2])) == 4  # an empty class can gain a member, but has none to lose


def test_true_delta_is_the_worst_of_all_pairs() -> None:
    counts = np.array([60.0, 70.0, 80.0])
    neighbouring = [(counts, counts + gained - lost) for gained, lost in permutations(np.eye(3), 2)]
    everything = [
        dirichlet_delta(here, there, published_scale(here), published_scale(there), 0.05)
        for pair in neighbouring
        for here, there in (pair, pair[::-1])
    ]
    assert true_delta(counts, 0.05, published_scale) == pytest.approx(max(everything))


def test_a_neighbour_without_a_scale_gives_the_release_away() -> None:
    def only_above(values: Array) -> float:
        if values.min() < 50:
            raise NoValidScale("too small")
        return 0.01

    assert true_delta(DEFAULT, 0.05, only_above) == 1.0
    assert true_delta(DEFAULT, 0.05, only_above, possible=lambda other: other.min() >= 50) < 0.05
    assert true_delta(DEFAULT - [2, 2, 2, 2, 0], 0.05, only_above) == 0.0  # errors everywhere: nothing is published


@pytest.mark.slow
def test_a_simulated_attack_confirms_the_excess() -> None:
    neighbour = DEFAULT + np.array([-1, 0, 0, 0, 1])
    scale, other = published_scale(DEFAULT), published_scale(neighbour)
    gains = np.maximum(1 - np.exp(0.05 - losses(other * neighbour, scale * DEFAULT, 200_000, 1)), 0)
    assert_mean(gains, dirichlet_delta(neighbour, DEFAULT, other, scale, 0.05))


test_bad_input = refused(
    (([1.0], [1.0], 1.0, 1.0, 0.1), "at least two classes"),
    (([1.0, 2.0], [1.0, 2.0, 3.0], 1.0, 1.0, 0.1), "as many classes"),
    (([1.0, -2.0], [1.0, 2.0], 1.0, 1.0, 0.1), "counts must be non-negative"),
    (([1.0, 2.0], [np.nan, 2.0], 1.0, 1.0, 0.1), "neighbour must be non-negative"),
    (([1.0, 2.0], [2.0, 1.0], 0.0, 1.0, 0.1), "scale must be positive"),
    (([1.0, 2.0], [2.0, 1.0], 1.0, 1.0, -0.1), "epsilon must not be negative"),
    call=lambda arguments: dirichlet_delta(*arguments),
)


@pytest.mark.parametrize("classes", [2, 3])
def test_shapes_too_large_for_their_gamma_functions_are_refused(classes: int) -> None:
    """Two releases that differ by rounding of a scale: the sum said δ = 0 where the equal scale has 0.05."""
    counts, neighbour = [1e8] * classes, [1e8 - 1, 1e8 + 1, 1e8][:classes]
    scale = 28148429.67
    assert dirichlet_delta(counts, neighbour, scale, scale, 1.0) == pytest.approx(0.05, abs=1e-6)
    with pytest.raises(UnveilError, match="must sum to at most"):
        dirichlet_delta(counts, neighbour, scale, np.nextafter(scale, np.inf), 1.0)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_two_routes_agree_up_to_the_largest_shapes_that_are_accepted(classes: int) -> None:
    counts, neighbour = [9e4] * classes, [9e4 - 1, 9e4 + 1, 9e4][:classes]
    exact = dirichlet_delta(counts, neighbour, 2.5e4, 2.5e4, 1.0)
    summed = dirichlet_delta(counts, neighbour, 2.5e4, np.nextafter(2.5e4, np.inf), 1.0)
    assert summed == pytest.approx(exact, abs=1e-5)
