"""The sums behind an exact mean operator: against whole numbers by hand, for any cut, without copies of the records."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng

from refusals import refused
from unveil.fingerprints import Fingerprint, fingerprint
from unveil.mechanisms.exact_operator import GeometricMeanOperator
from unveil.mechanisms.operator_tally import OperatorTally
from unveil.types import Array


def by_hand(X: Array, y: Array, steps: int, top: float) -> tuple[list[int], list[int], int]:
    """In Python's whole numbers: the sum over the positive labels, over all, and the largest 1-norm."""
    whole = [[round(float(x) / top * steps) for x in row] for row in X]
    chosen = [
        sum(column) for column in zip(*[row for row, label in zip(whole, y, strict=True) if label == 1], strict=True)
    ]
    total = [sum(column) for column in zip(*whole, strict=True)]
    return chosen or [0] * X.shape[1], total, max(sum(map(abs, row)) for row in whole)


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 999),
    n=st.integers(1, 60),
    cuts=st.lists(st.integers(0, 60), max_size=5),
    steps=st.sampled_from([1, 7, 1 << 10, 1 << 20]),
    dtype=st.sampled_from(["f4", "f8", "i8"]),
)
def test_sums_are_whole_and_do_not_depend_on_the_cut(
    seed: int, n: int, cuts: list[int], steps: int, dtype: str
) -> None:
    rng = default_rng(seed)
    X, y = (5 * rng.normal(size=(n, 3))).astype(dtype), rng.choice([-1, 1], n)
    whole = OperatorTally(steps, top=4.0).take((X, y))
    chosen, total, widest = by_hand(X, y, steps, 4.0)
    assert (whole.sums[1].tolist(), whole.sums.sum(axis=0).tolist(), whole.widest) == (chosen, total, widest)
    pieces = [(X[s:t], y[s:t]) for s, t in pairwise([0, *sorted(min(cut, n) for cut in cuts), n])]
    streamed, merged = OperatorTally(steps, top=4.0).take(pieces), OperatorTally(steps, top=4.0)
    for piece in pieces:
        one = OperatorTally(steps, top=4.0).take(piece)
        merged = merged.merge(one)
    for tally in (streamed, merged):
        np.testing.assert_array_equal(tally.sums, whole.sums)
        assert (tally.rows, tally.positive, tally.widest) == (whole.rows, whole.positive, whole.widest)
        assert tally.seen.text == whole.seen.text == fingerprint(X)


@pytest.mark.parametrize("intercept", [False, True])
def test_the_noise_of_a_release_is_that_of_the_largest_1_norm(intercept: bool) -> None:
    """All entries of a record move when its label does, the constant among them."""
    X, y = np.array([[3.0, -4.0], [1.0, 1.0], [0.0, 4.0]]), np.array([1, -1, 1])
    steps, alpha = 1 << 10, 1.0
    veil = GeometricMeanOperator(alpha, steps=steps, testing=True)
    release = veil.publish((X, y), default_rng(0), intercept=intercept)
    units = np.array([4 / steps, 4 / steps, *[1 / 256] * intercept])  # a constant is as fine as the other entries
    widest = (7 + intercept) * steps // 4
    # Twice the sum over one label, less the public sum over all; P[z] ∝ p^|z| has variance 2p/(1 − p)².
    p = np.exp(-alpha / widest)
    np.testing.assert_allclose(release.arrays["variance"], 4 * 2 * p / (1 - p) ** 2 * units**2, rtol=1e-9)


@given(seed=st.integers(0, 999), n=st.integers(1, 20), d=st.integers(1, 9))
def test_fingerprints_tell_rows_apart(seed: int, n: int, d: int) -> None:
    rng = default_rng(seed)
    X = rng.integers(0, 2, (n, d)).astype(float)
    changed = X.copy()
    changed[rng.integers(n), rng.integers(d)] += 1.0
    assert fingerprint(changed) != fingerprint(X)
    assert fingerprint(X[::-1]) != fingerprint(X) or np.array_equal(X[::-1], X)
    assert fingerprint(X[:, ::-1]) != fingerprint(X) or np.array_equal(X[:, ::-1], X)
    assert fingerprint(X.astype(np.float32)) == fingerprint(np.asfortranarray(X)) == fingerprint(X.astype(bool))
    assert fingerprint(-0.0 * X) == fingerprint(0.0 * X)
    first, second = Fingerprint(), Fingerprint()
    first.add(X[: n // 2])
    second.add(X[n // 2 :])
    assert first.merge(second).text == fingerprint(X)


def test_fingerprints_of_many_similar_rows_are_all_different() -> None:
    """Half a million rows that differ in one bit or by one step: by chance two would agree once in 10⁸ such tests."""
    rows = np.concatenate([np.arange(200_000.0), 1 + np.arange(200_000) * 2.0**-52, 0.5 * np.arange(100_000) - 7e4])
    found = set()
    for row in np.unique(rows)[::25]:
        found.add(fingerprint(np.full((1, 2), row)))
    assert len(found) == len(np.unique(rows)[::25])


test_what_cannot_be_summed_exactly_is_refused = refused(
    ([[1e101], [1.0]], None, "at most"),
    ([[5e-324], [0.0]], None, "step of its grid is zero"),
    ([[1.0], [1e20]], 1.0, r"below 2\^52"),
    call=lambda X, top: GeometricMeanOperator(1.0).tally((np.array(X), np.ones(2, dtype=int)), top=top),
)
