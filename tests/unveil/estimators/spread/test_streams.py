"""The spread likelihood over batches: the fit to one matrix, for any cut, without keeping what was read."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng
from numpy.testing import assert_allclose

from unveil.errors import UnveilError
from unveil.estimators.spread.logistic_regression import SpreadLogisticRegression
from unveil.estimators.spread.streams import InputSums, fit_stream
from unveil.types import Array


def records(n: int, d: int = 3) -> tuple[Array, Array]:
    rng = default_rng(0)
    y = rng.integers(0, 2, n)
    X = rng.normal((2.0 * y[:, None] - 1.0) * np.linspace(1, 3, d), 1.0, (n, d)) + rng.normal(size=(n, d))
    return X, np.where(rng.random(n) < 0.2, 1 - y, y)


@settings(deadline=None, max_examples=30)
@given(cuts=st.lists(st.integers(1, 199), max_size=6, unique=True), seed=st.integers(0, 99))
def test_moments_of_inputs_merge_in_any_tree(cuts: list[int], seed: int) -> None:
    X, _ = records(200)
    X = 1e6 + X  # far from zero, where squares would cancel
    parts = [InputSums.of(X[s:t]) for s, t in pairwise([0, *sorted(cuts), 200])]
    rng = default_rng(seed)
    while len(parts) > 1:
        parts = [parts[k] for k in rng.permutation(len(parts))]
        parts = [parts[0].merge(parts[1]), *parts[2:]]
    assert parts[0].records == 200
    assert_allclose(parts[0].mean, X.mean(axis=0), rtol=1e-12)
    assert_allclose(parts[0].scatter / 199, np.cov(X, rowvar=False), rtol=1e-8)


@pytest.mark.parametrize("prior", ["flat", "normal", (0.0, 4.0)])
@pytest.mark.parametrize("l2", [0.0, 0.01])
def test_a_stream_is_fitted_as_one_matrix(prior: object, l2: float) -> None:
    X, y = records(600)
    whole = SpreadLogisticRegression(0.2, 1.0, prior, noise="gaussian", l2=l2).fit(X, y)
    cuts = [0, 0, 1, 250, 600]
    found = fit_stream([(X[s:t], y[s:t]) for s, t in pairwise(cuts)], 0.2, 1.0, prior, l2)
    assert_allclose(found.coef, whole.coef_[0], rtol=1e-5)
    assert_allclose(found.covariance, np.asarray(whole.covariance_), rtol=1e-4)
    assert_allclose(found.log_likelihood, whole.log_likelihood_, rtol=1e-9)
    assert found.converged


class Stream:
    """The same few records again and again, made anew on each pass."""

    def __init__(self, batches: int) -> None:
        self.batches = batches

    def __iter__(self) -> Iterator[tuple[Array, Array]]:
        X, y = records(4000)
        for _ in range(self.batches):
            yield X, y


@pytest.mark.slow
def test_memory_does_not_grow_with_the_records() -> None:
    """Twenty batches of 4,000 x 3 hold 1.8 MiB of inputs; nothing of them stays."""
    peaks = []
    for batches in (1, 20):
        tracemalloc.start()
        try:
            found = fit_stream(Stream(batches), 0.2, 1.0, "flat", iterations=5)
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    assert peaks[1] < peaks[0] + (1 << 20)
    assert np.isfinite(found.log_likelihood)


def test_mistakes_are_one_line() -> None:
    X, y = records(10)
    for data, message in [
        (iter([(X, y)]), "can be read again"),
        ([(X, y + 1)], "labels 0 and 1"),
        ([(X[:1], y[:1])], "at least two records"),
        ([(X, y[:3])], "one label a row"),
        ([], "at least two records"),
    ]:
        with pytest.raises(UnveilError, match=message):
            fit_stream(data, 0.2, 1.0)
