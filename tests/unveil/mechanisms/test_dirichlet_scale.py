from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refusals import refused
from unveil.errors import NoValidScale, UnveilError
from unveil.mechanisms.dirichlet_scale import dirichlet_scale, dirichlet_scales, pair_scale
from unveil.privacy.pair import MOST_MEMBERS, hockey_stick, loss_tails
from unveil.types import Array

GRID = np.geomspace(1e-9, 1e6, 300)


def charged(counts: Array, scales: Array, epsilon: float, rule: str) -> Array:
    """δ by the rule, from every pair of classes and, for `tight`, in both directions."""
    i, j = np.nonzero(~np.eye(len(counts), dtype=bool))
    column = scales[:, None]
    if rule == "paper":
        return np.asarray(loss_tails(counts[i], counts[j], column, epsilon).max(axis=1))
    deltas = np.vectorize(hockey_stick)
    forward = deltas(counts[i], counts[j], column, epsilon)
    backward = deltas(counts[j] + 1, counts[i] - 1, column, epsilon)
    return np.asarray(np.maximum(forward, backward).max(axis=1))


@settings(max_examples=150)
@given(
    st.lists(st.integers(2, 3000), min_size=2, max_size=6),
    st.floats(-2.5, 0.7),
    st.floats(-4, -0.05),
    st.sampled_from(["paper", "tight"]),
)
def test_the_scale_is_the_largest_that_all_pairs_allow(
    counts: list[int], log_epsilon: float, log_delta: float, rule: str
) -> None:
    epsilon, delta, values = 10**log_epsilon, 10**log_delta, np.array(counts, dtype=float)
    feasible = charged(values, GRID, epsilon, rule) <= delta
    try:
        scale = dirichlet_scale(counts, epsilon, delta, rule)
    except NoValidScale:
        assert not feasible.any()
        return
    assert charged(values, np.array([scale]), epsilon, rule)[0] <= delta * (1 + 1e-12)
    assert charged(values, np.array([scale * (1 + 1e-6)]), epsilon, rule)[0] > delta
    assert not feasible[scale * (1 + 1e-6) < GRID].any()


@pytest.mark.parametrize("rule", ["paper", "tight"])
def test_counts_up_to_a_billion(rule: str) -> None:
    for counts in ([10**9] * 3, [10**5, 10**9, 10**9], [60, 10**9, 10**9]):
        scale = dirichlet_scale(counts, 0.05, 0.05, rule)
        values = np.array(counts, dtype=float)
        low, high = charged(values, scale * np.array([1 - 1e-6, 1 + 1e-6]), 0.05, rule)
        assert low <= 0.05 < high


def test_scales_down_to_the_smallest() -> None:
    # The loss tends to a limit as σ → 0: with δ a hair above that limit only a tiny scale is left.
    limit = float(loss_tails(np.array([50.0]), np.array([50.0]), 1e-12, 0.05)[0])
    slope = float(loss_tails(np.array([50.0]), np.array([50.0]), 1e-6, 0.05)[0]) - limit
    scale = dirichlet_scale([50, 50, 900], 0.05, limit + slope, "paper")
    assert scale == pytest.approx(1e-6, rel=0.2)


def test_the_largest_root_where_the_loss_falls_before_it_rises() -> None:
    counts = np.array([3.0, 3.0, 40.0])
    scales = np.geomspace(1e-8, 10, 2000)
    losses = charged(counts, scales, 0.05, "paper")
    bottom = losses.argmin()
    assert losses[0] > losses[bottom] + 1e-3  # this is such a case
    delta = (losses[0] + losses[bottom]) / 2
    feasible = scales[losses <= delta]
    scale = dirichlet_scale(counts, 0.05, delta, "paper")
    assert feasible[-1] <= scale <= feasible[-1] * 1.02
    assert feasible[0] > 1e-4  # smaller scales are not feasible


def test_where_no_scale_exists() -> None:
    for counts in ([25, 25, 25, 25, 900], [45, 45, 810]):
        with pytest.raises(NoValidScale, match="smallest class"):
            dirichlet_scale(counts, 0.05, 0.05, "paper")
    for rule in ("paper", "tight"):
        for smallest in (0, 1):
            with pytest.raises(NoValidScale):
                dirichlet_scale([smallest, 500], 5.0, 0.5, rule)


def test_many_at_once_are_the_same() -> None:
    rows = np.random.default_rng(0).integers(2, 400, size=(50, 4))
    many = dirichlet_scales(rows, 0.1, 0.02, "paper")
    for row, scale in zip(rows, many, strict=True):
        if np.isnan(scale):
            with pytest.raises(NoValidScale):
                dirichlet_scale(row, 0.1, 0.02, "paper")
        else:
            assert dirichlet_scale(row, 0.1, 0.02, "paper") == scale
    assert 0 < np.isnan(many).sum() < 50


def test_a_single_pair() -> None:
    scale = pair_scale(51, 50, 0.05, 0.05, "tight")
    low, high = (hockey_stick(51.0, 50.0, scale * factor, 0.05) for factor in (1, 1 + 1e-6))
    assert low <= 0.05 < high
    with pytest.raises(NoValidScale):
        pair_scale(2, 1, 0.01, 1e-6, "tight")


test_bad_input = refused(
    ([50], 0.1, 0.1, "paper", "at least two classes"),
    ([50, -1], 0.1, 0.1, "paper", "must not be negative"),
    ([50, 2.5], 0.1, 0.1, "paper", "whole numbers"),
    ([50, np.nan], 0.1, 0.1, "paper", "finite"),
    ([0, 0], 0.1, 0.1, "paper", "must not all be zero"),
    ([50, 50], 0.0, 0.1, "paper", "epsilon must be positive"),
    ([50, 50], 0.1, 1.0, "paper", "delta must lie"),
    ([50, 50], 0.1, np.nan, "paper", "delta must lie"),
    ([50, 50], 0.1, 0.1, "loose", "rule must be"),
    call=dirichlet_scale,
)


@pytest.mark.parametrize("rule", ["paper", "tight"])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 30.0])
def test_scales_grow_with_counts_up_to_the_largest_that_are_accepted(rule: str, epsilon: float) -> None:
    """For many members the loss is normal, and the scale a multiple of the count."""
    many, most = (dirichlet_scale([n, n], epsilon, 0.2, rule) / n for n in (1e7, MOST_MEMBERS))
    assert most == pytest.approx(many, rel=1e-4)


@pytest.mark.parametrize("rule", ["paper", "tight"])
def test_counts_whose_scale_rounding_would_decide_are_refused(rule: str) -> None:
    """At 2⁵³ members the scale of `paper` came out above that of `tight`, and at ε = 30 eight times too large."""
    for solve, counts in ((dirichlet_scale, [2**53, 2**53]), (dirichlet_scales, [[2**53, 2**53]])):
        with pytest.raises(UnveilError, match="counts must be at most"):
            solve(counts, 1.0, 0.05, rule)
    with pytest.raises(UnveilError, match="from_count must lie"):
        pair_scale(2.0**53, 5.0, 1.0, 0.05, rule)
