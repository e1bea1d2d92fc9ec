from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from checks import assert_frequencies, assert_mean
from refusals import refused
from unveil.errors import UnveilError
from unveil.mechanisms import per_value
from unveil.mechanisms.bits import all_within, keep_probability
from unveil.mechanisms.per_value import PerValueRelease

Matrix = np.ndarray[Any, Any]


def chance(record: Matrix, vector: tuple[int, ...], keep: float) -> float:
    """P(o | record) for a record of shares, bit by bit."""
    ones = [keep * share + (1 - keep) * (1 - share) for share in record]
    return float(np.prod([one if bit else 1 - one for one, bit in zip(ones, vector, strict=True)]))


def enumerated_level(records: list[Matrix], keep: float) -> float:
    """The largest ln P(o | r)/P(o | r') over all pairs of records and all released vectors."""
    vectors = list(product((0, 1), repeat=len(records[0])))
    table = np.array([[chance(record, vector, keep) for vector in vectors] for record in records])
    return float(np.log(table.max(axis=0) / table.min(axis=0)).max())


@given(st.integers(1, 5), st.integers(1, 5), st.floats(0.1, 5), st.floats(0, 3))
def test_tight_level_is_what_enumeration_gives(d: int, delta: int, alpha: float, slack: float) -> None:
    delta = min(d, delta)
    mechanism = PerValueRelease(alpha, delta + slack)
    records = [np.array(r) for r in product((0, 1), repeat=d) if sum(r) <= delta]
    expected = enumerated_level(records, mechanism.keep)
    assert mechanism.tight_epsilon(d, delta) == pytest.approx(expected, rel=1e-9)
    assert expected <= mechanism.claimed_epsilon * (1 + 1e-12)


@given(st.integers(0, 2**32 - 1), st.floats(0.1, 5))
def test_level_of_given_records_is_what_enumeration_gives(seed: int, alpha: float) -> None:
    rows = np.random.default_rng(seed).uniform(0, 2, (3, 3))
    mechanism = PerValueRelease(alpha, 3.0, upper=2.0)
    expected = enumerated_level(list(rows / 2), mechanism.keep)
    assert mechanism.level_between(rows) == pytest.approx(expected, rel=1e-8)


@given(st.integers(0, 2**32 - 1), st.floats(0.1, 5), st.floats(0.5, 3))
def test_debias_is_exactly_unbiased(seed: int, alpha: float, upper: float) -> None:
    record = np.random.default_rng(seed).uniform(0, upper, 3)
    mechanism = PerValueRelease(alpha, 3.0, upper)
    vectors = list(product((0, 1), repeat=3))
    chances = [chance(record / upper, vector, mechanism.keep) for vector in vectors]
    mean = np.array(chances) @ mechanism.debias(np.array(vectors, dtype=bool))
    assert_allclose(mean, record, atol=1e-9 * upper)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_released_vectors_have_the_enumerated_frequencies(dtype: Any) -> None:
    record = np.array([0.25, 1.5, 2.0], dtype=dtype)
    mechanism = PerValueRelease(2.0, 3.0, upper=2.0)
    bits = mechanism.release(np.tile(record, (200_000, 1)), np.random.default_rng(4))
    codes = bits @ np.array([4, 2, 1])
    expected = [chance(record / 2, vector, mechanism.keep) for vector in product((0, 1), repeat=3)]
    assert_frequencies(np.bincount(codes, minlength=8), expected)


def test_debiased_release_has_the_right_mean_over_many_chunks() -> None:
    stats = np.random.default_rng(5).uniform(0, 1, (20_000, 7))
    mechanism = PerValueRelease(7.0, 7.0)
    released = mechanism.release(stats, np.random.default_rng(6))
    assert_mean(mechanism.debias(released) - stats, 0.0)
    assert_allclose(mechanism.debias(released, total=True), mechanism.debias(released).sum(axis=0), rtol=1e-9)


def test_one_wide_record_is_longer_than_a_chunk() -> None:
    d = per_value.CHUNK + 5
    released = PerValueRelease(np.inf, d).release(np.ones((3, d)), np.random.default_rng(0))
    assert released.shape == (3, d)
    assert released.all()


def test_a_tie_between_uniform_and_threshold_is_settled_exactly() -> None:
    """A threshold of 0.3 grains: the float32 uniform 0 cannot decide, the spare uniform must."""
    stats, uniforms = np.ones(4), np.zeros(4, dtype=np.float32)
    uniforms[3] = 5 * per_value.GRAIN
    scale, bits = np.array([0.0, 0.3 * per_value.GRAIN, 1.0]), np.zeros(4, dtype=bool)
    within, ties = per_value._flip(stats, uniforms, scale, bits)
    assert within
    assert ties == 3
    assert not bits.any()
    per_value._break_ties(stats, uniforms, scale, np.array([0.29, 0.31, 0.1]), bits)
    assert bits.tolist() == [True, False, True, False]


def test_the_grain_leaves_no_trace_at_tiny_levels() -> None:
    """At α/δ̄ = 1e-7 the two thresholds lie in one grain or in neighbours: every draw there is a tie."""
    n = 4_000
    mechanism = PerValueRelease(1e-7, 1.0)
    uniforms = np.full(n, 0.5, dtype=np.float32)
    scale = np.array([1 - mechanism.keep, 2 * mechanism.keep - 1, 1.0])
    bits = np.zeros(n, dtype=bool)
    _, ties = per_value._flip(np.ones(n), uniforms, scale, bits)
    per_value._break_ties(np.ones(n), uniforms, scale, np.random.default_rng(7).random(ties), bits)
    expected = (mechanism.keep - 0.5) / per_value.GRAIN
    assert 0.1 < expected < 0.9
    assert_mean(bits, expected)


@given(st.integers(0, 2**32 - 1))
def test_without_flips_binary_statistics_pass_through(seed: int) -> None:
    stats = np.random.default_rng(seed).integers(0, 2, (6, 5)).astype(float)
    mechanism = PerValueRelease(np.inf, 5.0)
    released = mechanism.release(stats, np.random.default_rng(seed))
    assert (released == stats.astype(bool)).all()
    assert_allclose(mechanism.debias(released), stats)


@given(st.floats(1e-6, 1e6))
def test_a_finite_level_always_leaves_doubt(t: float) -> None:
    assert 0.5 < keep_probability(t) < 1


@pytest.mark.parametrize("bad", [np.nan, np.inf, -0.1, 1.1])
def test_the_range_check_sees_one_bad_value(bad: float) -> None:
    values = np.full((50, 9), 0.5)
    assert all_within(values, 0.0, 1.0)
    values[37, 4] = bad
    assert not all_within(values, 0.0, 1.0)
    with pytest.raises(UnveilError, match=r"\[0, upper\]"):
        PerValueRelease(1.0, 9.0).release(values, np.random.default_rng(0))


test_impossible_input_names_the_rule = refused(
    *((PerValueRelease, alpha, 1.0, "alpha must be positive") for alpha in (0.0, -1.0, np.nan)),
    (lambda: PerValueRelease(1.0, 0.0), "delta_bar must be positive"),
    (lambda: PerValueRelease(1.0, 1.0, upper=0.0), "upper must be positive"),
    (lambda: PerValueRelease(1.0, 2.0).tight_epsilon(4, 3), "not exceed delta_bar"),
    (lambda: PerValueRelease(1.0, 0.5).tight_epsilon(4), "at least 1"),
    (lambda: PerValueRelease(1.0, 2.0).release(np.ones(3), np.random.default_rng()), "shape"),
    (lambda: PerValueRelease(1.0, 2.0).release(np.ones((1, 3)), np.random.default_rng()), "delta_bar must be"),
    (lambda: PerValueRelease(1.0, 2.0).debias(np.ones((1, 3))), "released must hold bits"),
)
