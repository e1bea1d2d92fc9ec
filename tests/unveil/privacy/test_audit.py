"""The audit proves what it says: it catches planted bugs, and never accuses a mechanism of more than it loses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import Generator, default_rng
from tests.unveil.privacy.planted_bugs import PLANTED, PlantedBug

from refusals import refused
from unveil.privacy.audit import Audit, audit_release
from unveil.privacy.channels import channel_epsilon, smallest_epsilon
from unveil.types import Array, Floats


def from_law(law: Floats, n: int, rng: Generator) -> Array:
    return rng.choice(len(law), size=n, p=law)


def gaussian(mean: float, n: int, rng: Generator) -> Floats:
    return mean + rng.standard_normal(n)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("bug", PLANTED, ids=lambda bug: bug.name)
def test_every_planted_bug_is_caught_and_its_twin_is_not(bug: PlantedBug, seed: int) -> None:
    for release, wrong in ((bug.buggy, True), (bug.right, False)):
        audit = audit_release(release, bug.here, bug.there, n=bug.n, rng=default_rng(seed), delta=bug.delta)
        assert audit.refutes(bug.claimed) == wrong


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.floats(0.01, 1), st.floats(0.01, 1)), min_size=2, max_size=8),
    st.sampled_from([0.0, 0.01, 0.2]),
    st.integers(0, 10**6),
)
def test_the_bound_never_exceeds_the_exact_level_of_a_channel(
    weights: list[tuple[float, float]], delta: float, seed: int
) -> None:
    laws = np.array(weights) / np.sum(weights, axis=0)
    audit = audit_release(from_law, laws[:, 0], laws[:, 1], n=2_000, rng=default_rng(seed), delta=delta)

    def delta_of(epsilon: float) -> float:
        both = [(0, 1), (1, 0)]
        return float(max(np.maximum(laws[:, i] - np.exp(epsilon) * laws[:, j], 0).sum() for i, j in both))

    exact = smallest_epsilon(delta_of, delta) if delta else channel_epsilon(laws)
    assert audit.epsilon_low <= exact + 1e-12


def test_at_a_low_confidence_the_bound_errs_as_seldom_as_it_says() -> None:
    """With equal laws every positive bound is an error: at most one in ten at a confidence of 90 %."""
    errors = 0
    for seed in range(300):
        audit = audit_release(gaussian, 0.0, 0.0, n=400, rng=default_rng(seed), confidence=0.9)
        errors += audit.epsilon_low > 0
    assert errors <= 300 * 0.1 + 4.75 * np.sqrt(300 * 0.09)


@pytest.mark.parametrize("log_ratio", [None, lambda samples: samples], ids=["learned", "given"])
def test_the_bound_comes_close_to_the_exact_level(log_ratio: Any) -> None:
    """Two Gaussians one deviation apart: the exact ε at δ = .05 is the root of their hockey-stick divergence."""
    from scipy.stats import norm

    exact = smallest_epsilon(lambda e: float(norm.cdf(0.5 - e) - np.exp(e) * norm.cdf(-0.5 - e)), 0.05)
    audit = audit_release(gaussian, 1.0, 0.0, n=400_000, rng=default_rng(1), delta=0.05, log_ratio=log_ratio)
    assert 0.85 * exact < audit.epsilon_low <= exact
    assert 0.035 < audit.delta_low(exact) <= 0.05


def test_both_directions_are_tried() -> None:
    """Only one direction of these two laws is far apart: an outcome that is rare in one and impossible in the other."""
    laws = np.array([0.95, 0.05]), np.array([1.0, 0.0])
    for here, there in (laws, laws[::-1]):
        assert audit_release(from_law, here, there, n=20_000, rng=default_rng(3)).epsilon_low > 3.0


def test_rare_values_a_constant_difference_and_missing_numbers_are_seen() -> None:
    def with_gaps(value: float, n: int, rng: Generator) -> Floats:
        noise = rng.standard_normal((n, 2, 1))
        noise[rng.random(n) < 0.01 * value] = np.nan
        return noise

    assert audit_release(with_gaps, 0.0, 5.0, n=50_000, rng=default_rng(5)).epsilon_low > 3.0

    def tied(value: float, n: int, rng: Generator) -> Floats:
        first = rng.standard_normal(n)
        return np.column_stack([first, first + value])

    assert audit_release(tied, 0.0, 1e-6, n=2_000, rng=default_rng(6)).epsilon_low > 3.0


def test_wide_outputs_are_audited_by_their_most_telling_coordinates() -> None:
    def wide(value: float, n: int, rng: Generator) -> Floats:
        samples = rng.standard_normal((n, 20, 10))
        samples[:, 13, 7] += value
        return samples

    audit = audit_release(wide, 0.0, 2.0, n=8_000, rng=default_rng(9))
    assert audit.epsilon_low > 1.5


def test_the_generator_decides_everything() -> None:
    audits = [audit_release(gaussian, 0.0, 1.0, n=1_000, rng=default_rng(7)) for _ in range(2)]
    assert audits[0] == audits[1]
    assert audits[0] != audit_release(gaussian, 0.0, 1.0, n=1_000, rng=default_rng(8))


def test_limits_by_hand() -> None:
    """All of n against none of n: the two limits are (error)^(1/n) and its complement."""
    audit = Audit(hits=100, misses=0, n=100, delta=0.0, confidence=0.98)
    likely = 0.01 ** (1 / 100)
    assert audit.epsilon_low == pytest.approx(np.log(likely / (1 - likely)))
    assert audit.delta_low(0.0) == pytest.approx(2 * likely - 1)
    assert Audit(hits=0, misses=0, n=100, delta=0.0, confidence=0.98).epsilon_low == 0.0


def scalars(value: float, n: int, rng: Generator) -> Floats:
    return np.zeros(n - 1)


def shapes(value: float, n: int, rng: Generator) -> Floats:
    return np.zeros((n, int(value)))


test_bad_input_names_the_argument = refused(
    (gaussian, {"n": 10}, "n must be at least"),
    (gaussian, {"delta": 1.0}, "delta must lie"),
    (gaussian, {"confidence": 1.0}, "confidence must lie"),
    (scalars, {}, "must return n = 50 releases"),
    (shapes, {}, "same shape for both"),
    (gaussian, {"log_ratio": np.mean}, "one number a sample"),
    call=lambda release, options: audit_release(release, 1.0, 2.0, **{"n": 100, "rng": default_rng(0), **options}),
)
