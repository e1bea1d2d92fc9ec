"""Releases over batches: the same bytes however records are cut, in memory that does not grow with their number."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng

from unveil.mechanisms.batches import cut_batches
from unveil.mechanisms.coordinate import CoordinateRelease
from unveil.mechanisms.exact_operator import GeometricMeanOperator
from unveil.mechanisms.exact_products import ExactProducts
from unveil.mechanisms.exact_response import ExactResponse
from unveil.mechanisms.per_value import PerValueRelease
from unveil.mechanisms.product_bits import CHUNK, ROWS, UNIFORMS, ProductBits, tally_outcomes
from unveil.mechanisms.response import RandomizedResponse
from unveil.types import Array

VEILS = [CoordinateRelease(2.0), PerValueRelease(2.0, 99), ExactProducts(2.0, testing=True)]


def records(n: int, d: int = 3, dtype: str = "f4") -> tuple[Array, Array]:
    X = default_rng(0).random((n, d)).astype(dtype)
    return X, X.mean(axis=1)


def pieces(X: Array, y: Array, cuts: list[int]) -> Iterator[tuple[Array, Array]]:
    """Batches that all lie in the same memory, as those of a careless reader do."""
    ends = [0, *sorted(cuts), len(X)]
    buffer = np.empty_like(X), np.empty_like(y)
    for start, stop in pairwise(ends):
        for part, whole in zip(buffer, (X, y), strict=True):
            part[: stop - start] = whole[start:stop]
            part[stop - start :] = 0.25
        yield buffer[0][: stop - start], buffer[1][: stop - start]


@settings(deadline=None, max_examples=40)
@given(n=st.integers(0, 300), cuts=st.lists(st.integers(0, 300), max_size=6), rows=st.integers(1, 120))
def test_batches_are_cut_anew(n: int, cuts: list[int], rows: int) -> None:
    X, y = records(n)
    cuts = [min(cut, n) for cut in cuts]
    parts = [(part.copy(), own.copy()) for part, own in cut_batches(pieces(X, y, cuts), rows)]
    assert [len(part) for part, _ in parts] == [rows] * (n // rows) + [n % rows] * (n % rows > 0)
    if n:
        np.testing.assert_array_equal(np.concatenate([part for part, _ in parts]), X)
        np.testing.assert_array_equal(np.concatenate([part for _, part in parts]), y)


def test_one_array_is_never_copied() -> None:
    X, y = records(1000)
    assert all(np.shares_memory(part, X) and np.shares_memory(own, y) for part, own in cut_batches((X, y), 300))


@pytest.mark.parametrize("veil", VEILS, ids=lambda veil: type(veil).__name__)
@pytest.mark.parametrize("cuts", [[], [0, 0, 1], [ROWS // 2 - 1, ROWS + 1], [1, 2, ROWS, 2 * ROWS]])
def test_a_seed_gives_the_same_release_however_records_are_cut(veil: Any, cuts: list[int]) -> None:
    X, y = records(2 * ROWS + 77)
    whole = veil.publish((X, y), default_rng(1), intercept=True)
    assert veil.publish(pieces(X, y, cuts), default_rng(1), intercept=True).checksum == whole.checksum


@given(seed=st.integers(0, 10**6), n=st.integers(0, 50), d=st.integers(2, 5))
def test_tallies_are_those_of_a_loop(seed: int, n: int, d: int) -> None:
    rng = default_rng(seed)
    first, second = rng.integers(0, d, (2, n)).astype(np.uint8)
    bits = np.where(first == second, rng.integers(0, 2, n), rng.integers(0, 8, n)).astype(np.uint8)
    released = ProductBits(first, second, bits, d)
    targets, pairs = tally_outcomes(released)
    assert targets.sum() + pairs.sum() == n
    i, j = np.triu_indices(d, 1)
    for (a, b), outcomes in zip(zip(i, j, strict=True), pairs, strict=True):
        for outcome, count in enumerate(outcomes):
            turned = outcome & 1 | (outcome & 2) << 1 | (outcome & 4) >> 1
            seen = list(zip(first, second, bits, strict=True))
            assert count == seen.count((a, b, outcome)) + seen.count((b, a, turned))


def peak(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("source", ["array", "batches"])
@pytest.mark.parametrize("veil", [CoordinateRelease(2.0), GeometricMeanOperator(1.0, testing=True)], ids=str)
def test_memory_does_not_grow_with_the_records(veil: Any, source: str) -> None:
    """Of 64 MB of records a version that copies them, or keeps a bit and two indices of each, would need more."""
    n, d = 1_000_000, 16
    X, y = default_rng(0).random((n, d), dtype=np.float32), np.ones(n, dtype=np.float32)
    veil.publish((X[:10], y[:10]), default_rng(0))  # compiles
    data = (X, y) if source == "array" else ((X[k : k + 9_999], y[k : k + 9_999]) for k in range(0, n, 9_999))
    assert peak(lambda: veil.publish(data, default_rng(1))) < 16 << 20


def test_per_value_memory_does_not_grow_with_the_records() -> None:
    veil, (X, y) = PerValueRelease(50.0, 65), records(400_000, 10)
    veil.publish((X[:10], y[:10]), default_rng(0))
    least = peak(lambda: veil.publish((X[:70_000], y[:70_000]), default_rng(1)))
    assert peak(lambda: veil.publish((X, y), default_rng(1))) < 1.05 * least


def test_nothing_as_large_as_the_data_is_made() -> None:
    """What the songs protocol allocates is what it releases, three bytes a record, and one chunk of uniforms."""
    (X, y), veil, rng = records(200_000, 40), CoordinateRelease(1.0), default_rng(0)
    veil.release_products(X[:10], y[:10], rng)
    most = peak(lambda: veil.release_products(X, y, rng))
    assert most < 3 * len(X) + UNIFORMS * 8 * CHUNK + 200_000 < X.nbytes / 10


@pytest.mark.parametrize("cuts", [[], [0, 1, 40_000], [7, 70_000]])
def test_answers_are_counted_as_if_released_at_once(cuts: list[int]) -> None:
    truth = default_rng(0).integers(0, 5, 100_000)
    veil = RandomizedResponse(5, 0.4)
    wanted = np.bincount(veil.release(truth, default_rng(1)), minlength=5)
    np.testing.assert_array_equal(veil.tally(truth, default_rng(1)), wanted)
    np.testing.assert_array_equal(veil.tally(iter(np.split(truth, cuts)), default_rng(1)), wanted)
    exact = ExactResponse(1.0, 5, testing=True).tally(np.split(truth, cuts), default_rng(1))
    keep, other = float(ExactResponse(1.0, 5).keep), float(1 - ExactResponse(1.0, 5).keep) / 4
    mean = other * len(truth) + (keep - other) * np.bincount(truth)
    assert np.abs(exact - mean).max() < 6 * np.sqrt(len(truth) / 4)
    assert exact.sum() == len(truth)


def test_answers_take_no_memory() -> None:
    truth = default_rng(0).integers(0, 5, 2_000_000, dtype=np.int8)
    for veil in (RandomizedResponse(5, 0.4), ExactResponse(1.0, 5, testing=True)):
        veil.tally(truth[:9], default_rng(0))
        assert peak(lambda: veil.tally(truth, default_rng(0))) < 1_900_000  # noqa: B023
