from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from checks import assert_frequencies, assert_mean
from refusals import refused
from unveil.mechanisms.coordinate import CoordinateBits, CoordinateRelease
from unveil.mechanisms.exact_products import ExactProducts
from unveil.mechanisms.product_bits import ProductBits

Matrix = np.ndarray[Any, Any]


def coordinate_chances(mechanism: CoordinateRelease, record: Matrix) -> Matrix:
    """P(j, o | record) as a (d, 2) table."""
    d = len(record)
    p = np.full(d, 1 / d) if mechanism.p is None else np.asarray(mechanism.p)
    ones = [mechanism.keep * s + (1 - mechanism.keep) * (1 - s) for s in record / mechanism.upper]
    return np.array([[p[j] * (1 - ones[j]), p[j] * ones[j]] for j in range(d)])


def product_outcomes(d: int) -> list[tuple[int, int, int]]:
    """Every (first, second, bits) that the songs protocol can release."""
    targets = [(i, i, b) for i in range(d) for b in (0, 1)]
    return targets + [(i, j, b) for i in range(d) for j in range(d) if i != j for b in range(8)]


def product_chances(alpha: float, x: Matrix, y: float, signed: bool = False) -> list[float]:
    """The probability of each of `product_outcomes`, term by term."""
    d = len(x)

    def one(statistic: float, level: float) -> float:
        keep = np.exp(level / 2) / (1 + np.exp(level / 2))
        share = (statistic + 1) / 2 if signed else statistic
        return float(keep * share + (1 - keep) * (1 - share))

    chances = []
    for i, j, bits in product_outcomes(d):
        if i == j:
            p = one(x[i] * y, alpha)
            chances.append((p if bits else 1 - p) / (2 * d))
            continue
        triple = [one(x[i] * x[j], alpha / 3), one(x[i] ** 2, alpha / 3), one(x[j] ** 2, alpha / 3)]
        flags = [bits & 1, bits & 2, bits & 4]
        p = float(np.prod([t if flag else 1 - t for t, flag in zip(triple, flags, strict=True)]))
        chances.append(p / (2 * d * (d - 1)))
    return chances


def as_release(outcome: tuple[int, int, int], d: int) -> ProductBits:
    first, second, bits = (np.array([value], dtype=np.uint8) for value in outcome)
    return ProductBits(first, second, bits, d)


@given(st.integers(2, 4), st.floats(0.1, 6), st.integers(0, 2**32 - 1))
def test_the_exact_level_is_half_of_what_is_claimed(d: int, alpha: float, seed: int) -> None:
    """Coordinate release at q_α is α/2-private, for any statistics in [0, c]."""
    mechanism = CoordinateRelease(alpha, p=tuple(np.random.default_rng(seed).dirichlet(np.full(d, 5.0))))
    tables = np.array([coordinate_chances(mechanism, np.array(r)) for r in product((0.0, 1.0), repeat=d)])
    worst = float(np.log(tables.max(axis=0) / tables.min(axis=0)).max())
    assert mechanism.tight_epsilon() == pytest.approx(worst, rel=1e-9)
    assert mechanism.claimed_epsilon == alpha == pytest.approx(2 * worst)


@given(st.integers(0, 2**32 - 1), st.floats(0.1, 6))
def test_level_of_given_records_is_what_enumeration_gives(seed: int, alpha: float) -> None:
    rows = np.random.default_rng(seed).uniform(0, 2, (3, 4))
    mechanism = CoordinateRelease(alpha, upper=2.0)
    tables = np.array([coordinate_chances(mechanism, row) for row in rows])
    worst = float(np.log(tables.max(axis=0) / tables.min(axis=0)).max())
    assert mechanism.level_between(rows) == pytest.approx(worst, rel=1e-8)
    assert worst <= mechanism.tight_epsilon() + 1e-12


@given(st.integers(0, 2**32 - 1), st.floats(0.1, 6), st.floats(0.5, 3))
def test_debias_is_exactly_unbiased(seed: int, alpha: float, upper: float) -> None:
    rng = np.random.default_rng(seed)
    mechanism = CoordinateRelease(alpha, upper, tuple(rng.dirichlet(np.full(3, 5.0))))
    record = rng.uniform(0, upper, 3)
    released = CoordinateBits(np.repeat(np.arange(3), 2), np.tile([False, True], 3), 3)
    weights = coordinate_chances(mechanism, record).ravel()
    assert_allclose(weights @ mechanism.debias(released), record, atol=1e-9 * upper)


@pytest.mark.parametrize("p", [None, (0.1, 0.2, 0.7)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_released_pairs_have_the_enumerated_frequencies(p: tuple[float, ...] | None, dtype: Any) -> None:
    record = np.array([0.0, 1.25, 2.0], dtype=dtype)
    mechanism = CoordinateRelease(1.5, upper=2.0, p=p)
    released = mechanism.release(np.tile(record, (100_000, 1)), np.random.default_rng(8))
    counts = np.bincount(2 * released.coordinate + released.bit, minlength=6)
    assert_frequencies(counts, coordinate_chances(mechanism, record).ravel())


def test_total_is_the_sum_of_the_rows() -> None:
    stats = np.random.default_rng(9).uniform(0, 1, (40_000, 4))
    mechanism = CoordinateRelease(3.0, p=(0.4, 0.3, 0.2, 0.1))
    released = mechanism.release(stats, np.random.default_rng(10))
    assert_allclose(mechanism.debias(released, total=True), mechanism.debias(released).sum(axis=0))
    assert_mean(mechanism.debias(released) - stats, 0.0)


@pytest.mark.parametrize(("kind", "signed"), [("simulated", False), ("simulated", True), ("exact", False)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_songs_protocol_has_the_enumerated_frequencies(kind: str, signed: bool, dtype: Any) -> None:
    """In floating point, and exactly at half of α."""
    x, y, alpha = np.array([0.25, 0.75, 1.0], dtype=dtype), 0.5, 3.0
    if signed:
        x = x * np.array([1, -1, 1], dtype=dtype)
    n = 300_000
    records = np.tile(x, (n, 1)), np.full(n, y), np.random.default_rng(11)
    if kind == "exact":
        released = ExactProducts(alpha / 2, testing=True).release(*records)
    else:
        released = CoordinateRelease(alpha).release_products(*records, signed)
    codes = (released.first.astype(int) * 3 + released.second) * 8 + released.bits
    wanted = [(i * 3 + j) * 8 + b for i, j, b in product_outcomes(3)]
    counts = np.bincount(codes, minlength=72)
    assert counts.sum() == counts[wanted].sum() == n
    assert_frequencies(counts[wanted], product_chances(alpha, x.astype(float), y, signed))


def test_the_exact_level_of_products_is_that_of_their_law() -> None:
    corners = [product_chances(3.0, np.array(x), y) for x in product((0.0, 1.0), repeat=2) for y in (0.0, 1.0)]
    worst = float(np.log(np.max(corners, axis=0) / np.min(corners, axis=0)).max())
    assert CoordinateRelease(3.0).tight_epsilon() == pytest.approx(worst)
    assert ExactProducts(1.5).tight_epsilon() == pytest.approx(worst, rel=1e-8)


@given(st.integers(2, 4), st.floats(0.2, 8), st.booleans(), st.integers(0, 2**32 - 1))
def test_products_are_debiased_exactly(d: int, alpha: float, signed: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(-1 if signed else 0, 1, d), float(rng.uniform(0, 1))
    mechanism = CoordinateRelease(alpha)
    second, cross = np.zeros((d, d)), np.zeros(d)
    for outcome, chance in zip(product_outcomes(d), product_chances(alpha, x, y, signed), strict=True):
        moments = mechanism.debias_products(as_release(outcome, d), signed, counts="expected")
        second += chance * moments.second
        cross += chance * moments.cross
    assert_allclose(second, np.outer(x, x), atol=1e-8)
    assert_allclose(cross, x * y, atol=1e-8)


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64])
def test_integers_are_statistics_too(dtype: Any) -> None:
    stats = np.random.default_rng(13).integers(0, 2, (500, 3)).astype(dtype)
    released = CoordinateRelease(np.inf).release(stats, np.random.default_rng(14))
    assert (released.bit == stats[np.arange(500), released.coordinate]).all()


def test_both_divisors_recover_the_moments() -> None:
    rng = np.random.default_rng(12)
    X, y = rng.uniform(0, 1, (400_000, 3)).astype(np.float32), rng.uniform(0, 1, 400_000)
    mechanism = CoordinateRelease(4.0)
    released = mechanism.release_products(X, y, rng)
    for counts in ("expected", "realised", "auto"):
        moments = mechanism.debias_products(released, counts=counts)
        # The widest of the twelve estimates has a standard error of 0.014; six of them.
        assert_allclose(moments.second, X.T @ X / len(X), atol=0.085)
        assert_allclose(moments.cross, X.T @ y / len(X), atol=0.085)


@settings(max_examples=20)
@given(st.integers(2, 5), st.integers(0, 2**32 - 1))
def test_chunks_and_wide_indices_change_nothing_in_kind(d: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    released = CoordinateRelease(np.inf).release_products(np.ones((70, d)), np.ones(70), rng)
    target = released.first == released.second
    assert (released.bits == np.where(target, 1, 7)).all()
    wide = CoordinateRelease(np.inf).release_products(np.ones((70, 300)), np.ones(70), rng)
    assert wide.first.dtype == np.uint16
    assert max(wide.first.max(), wide.second.max()) < 300


test_impossible_input_names_the_rule = refused(
    (lambda _: CoordinateRelease(0.0), "alpha must be positive"),
    (lambda _: CoordinateRelease(1.0, upper=-1.0), "upper must be positive"),
    (lambda _: CoordinateRelease(1.0, p=(0.5, 0.6)), "sum to one"),
    (lambda _: CoordinateRelease(1.0, p=(1.0, 0.0)), "positive on every"),
    (lambda rng: CoordinateRelease(1.0).release(np.array([[0.5, np.nan]]), rng), r"\[0, upper\]"),
    (lambda rng: CoordinateRelease(1.0).release(np.array([["a", "b"]]), rng), "real numbers"),
    (lambda rng: CoordinateRelease(1.0).release(np.array([[0.5, 1.5]]), rng), r"\[0, upper\]"),
    (lambda rng: CoordinateRelease(1.0, p=(0.5, 0.5)).release(np.ones((1, 3)), rng), "per coordinate"),
    (lambda rng: CoordinateRelease(1.0).release_products(-np.ones((1, 3)), np.ones(1), rng), "must lie in"),
    (lambda rng: CoordinateRelease(1.0).release_products(np.ones((1, 3)), 2 * np.ones(1), rng), "must lie in"),
    (lambda rng: CoordinateRelease(1.0).release_products(np.ones((1, 1)), np.ones(1), rng), "two features"),
    (lambda rng: CoordinateRelease(1.0).release_products(np.ones((2, 3)), np.ones(1), rng), "one target"),
    (lambda _: CoordinateRelease(1.0).debias_products(as_release((0, 0, 1), 3), counts="realised"), "never released"),
    call=lambda make: make(np.random.default_rng(0)),
)
