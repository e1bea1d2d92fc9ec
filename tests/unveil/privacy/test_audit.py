"""The audit proves what it says: it catches planted bugs, and never accuses a mechanism of more than it loses."""

from __future__ import annotations

from math import inf, log
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import Generator, default_rng
from scipy.stats import binom
from tests.unveil.privacy.planted_bugs import PLANTED, PlantedBug

from refusals import refused
from unveil.errors import UnveilError
from unveil.privacy import learned_ratio
from unveil.privacy.audit import CONFIDENCE, Audit, LogRatio, audit_release
from unveil.privacy.channels import channel_epsilon, smallest_epsilon
from unveil.privacy.learned_ratio import learn_log_ratio
from unveil.types import Array, Floats


def from_law(law: Floats, n: int, rng: Generator) -> Array:
    return rng.choice(len(law), size=n, p=law)


def gaussian(mean: float, n: int, rng: Generator) -> Floats:
    return mean + rng.standard_normal(n)


@pytest.mark.slow
@pytest.mark.parametrize("bug", PLANTED, ids=lambda bug: bug.name)
def test_every_planted_bug_is_caught_and_its_twin_is_not(bug: PlantedBug) -> None:
    for release, wrong in ((bug.buggy, True), (bug.right, False)):
        audit = audit_release(
            release, bug.here, bug.there, n=bug.n, rng=default_rng(0), delta=bug.delta, score=bug.score
        )
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


def noise(value: float, n: int, rng: Generator) -> Floats:
    return rng.standard_normal((n, 3))


def outcome(k: int) -> LogRatio:
    return lambda samples: samples == k


#: Forty outcomes that are three times as likely under the one law, and forty under the other.
SPLIT = np.repeat([[0.75, 0.25], [0.25, 0.75]], 40, axis=0) / 40
#: Each call has laws for which every bound above the second number is an error.
HONEST = {
    "learned": (noise, 0.0, (0.0, 0.0), {}),
    "among pairs": (noise, 0.0, (0.0, 0.0), {"pairs": [(0.0, 1.0), (0.0, 2.0)]}),
    "at a level above 0": (from_law, log(3), SPLIT.T, {"pairs": [SPLIT.T[::-1]]}),
    "one of forty given": (
        from_law,
        log(3),
        SPLIT.T,
        {"log_ratio": outcome(0), "score": [*map(outcome, range(1, 40))]},
    ),
}


@pytest.mark.parametrize(("release", "level", "pair", "options"), HONEST.values(), ids=HONEST)
def test_at_a_low_confidence_the_bound_errs_as_seldom_as_it_says(
    release: Any, level: float, pair: Any, options: dict[str, Any]
) -> None:
    """Small audits at a confidence of 80 %: no more errors than one in five, but for one chance in a million."""
    errors, audits = 0, 150
    for seed in range(audits):
        n = 10_000 if "score" in options else 400
        audit = audit_release(release, *pair, n=n, rng=default_rng(seed), confidence=0.8, **options)
        assert audit.tests == (40 if "score" in options else audit.tests)
        errors += audit.epsilon_low > level
    assert errors <= binom.isf(1e-6, audits, 0.2), errors


@pytest.mark.parametrize(("n", "delta", "confidence"), [(60, 0.0, 0.9), (150, 0.05, 0.99), (90, 0.1, 0.5)])
def test_detection_limits_against_every_count(n: int, delta: float, confidence: float) -> None:
    """The probability that the bound exceeds 0, summed over all hits and misses, reaches 95 % at the limit."""
    counts = range(n + 1)
    shown = np.array([[Audit(h, m, n, delta, confidence, 3).epsilon_low > 0 for m in counts] for h in counts])

    def power(p: float, q: float) -> float:
        return float(binom.pmf(counts, n, p) @ shown @ binom.pmf(counts, n, q))

    audit = Audit(0, 0, n, delta, confidence, 3)
    limit, leak = audit.detection_limit, audit.smallest_leak
    assert power(0.5, (0.5 - delta) * np.exp(-limit)) == pytest.approx(0.95, abs=1e-9)
    assert power(leak, 0.0) == pytest.approx(0.95, abs=1e-9)


def test_too_few_samples_detect_nothing() -> None:
    assert Audit(0, 0, 4, 0.0, CONFIDENCE).detection_limit == inf == Audit(0, 0, 4, 0.0, CONFIDENCE).smallest_leak
    assert Audit(0, 0, 10**6, 0.5, CONFIDENCE).detection_limit == inf
    assert Audit(0, 0, 10**6, 0.999999, CONFIDENCE).smallest_leak == inf


@pytest.mark.parametrize("leak", ["common", "rare"])
def test_leaks_at_the_limit_are_seen_as_often_as_it_says(leak: str) -> None:
    """A whole audit, which has to find the event itself; but for one chance in a million."""
    n, audits = 4_000, 200
    limits = Audit(0, 0, n // 2, 0.0, CONFIDENCE)
    rare = limits.smallest_leak
    laws = {
        "common": ([0.5, 0.5], [0.5 * np.exp(-limits.detection_limit), 1 - 0.5 * np.exp(-limits.detection_limit)]),
        "rare": ([rare, 1 - rare], [0.0, 1.0]),
    }
    seen = sum(
        audit_release(from_law, *map(np.array, laws[leak]), n=n, rng=default_rng(seed)).epsilon_low > 0
        for seed in range(audits)
    )
    assert binom.ppf(1e-6, audits, 0.95) <= seen < audits


def test_the_pair_that_tells_most_is_found() -> None:
    def leaky(value: float, n: int, rng: Generator) -> Floats:
        return rng.standard_normal(n) + (value if value > 4 else 0.0)

    pairs = [(1.0, 2.0), (2.0, 5.0), (2.0, 3.0)]
    audit = audit_release(leaky, 0.0, 1.0, n=20_000, rng=default_rng(2), pairs=pairs)
    assert (audit.pair, audit.epsilon_low > 2) == (2, True)
    with pytest.raises(UnveilError, match="n must be at least 64 for each of the pairs"):
        audit_release(leaky, 0.0, 1.0, n=100, rng=default_rng(2), pairs=pairs)


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


def test_trees_say_the_same_cell_by_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = default_rng(3)
    first, second = (rng.standard_normal((500, 2)) + mean for mean in (0.0, 0.5))
    trees = learn_log_ratio(first, second, rng)["trees"]
    shown = np.concatenate([first, 10 * second, [[inf, 0.0], [-inf, inf], [np.nan, 1.0]]])
    by_cell = trees(shown)
    monkeypatch.setattr(learned_ratio, "CELLED", 0)
    np.testing.assert_array_equal(by_cell, trees(shown))
    np.testing.assert_array_equal(by_cell[:1], trees(shown[:1]))


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
    assert audit.delta_low(5_000.0) == 0.0
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
    (gaussian, {"score": [np.mean]}, "one number a sample"),
    (gaussian, {"score": ["mean"]}, "score must be a function"),
    call=lambda release, options: audit_release(release, 1.0, 2.0, **{"n": 100, "rng": default_rng(0), **options}),
)
