"""Fits that are sums: any cut of the records and any tree of merges gives the fit to all of them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import Generator, default_rng
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError

from unveil.errors import UnveilError
from unveil.estimators.moments.indirect import LinearMoments
from unveil.estimators.moments.regression import MomentRegression
from unveil.mechanisms.coordinate import CoordinateRelease
from unveil.mechanisms.per_value import PerValueRelease
from unveil.mechanisms.response import randomized_response_matrix
from unveil.types import Array

Model = TypeVar("Model", MomentRegression, LinearMoments)
cuts = st.lists(st.integers(0, 200), max_size=7)


def parts(n: int, at: list[int]) -> list[slice]:
    """Some of them empty, some of one record."""
    ends = [0, *sorted(at), n]
    return [slice(start, stop) for start, stop in pairwise(ends)]


def in_any_tree(models: list[Model], rng: Generator) -> Model:
    """Merged two at a time, in a random order."""
    while len(models) > 1:
        models = [models[k] for k in rng.permutation(len(models))]
        models = [models[0].merge(models[1]), *models[2:]]
    return models[0]


def regression_data(dtype: str = "f8") -> tuple[Array, Array]:
    rng = default_rng(0)
    X = rng.normal(size=(200, 4)).astype(dtype)
    return X, X @ np.array([1.0, -2.0, 0.5, 0.0]) + rng.normal(size=200)


@settings(deadline=None, max_examples=30)
@given(
    at=cuts,
    seed=st.integers(0, 99),
    solver=st.sampled_from(["truncated", "ridge"]),
    dtype=st.sampled_from(["f4", "f8"]),
)
def test_regression_of_any_cut_in_any_tree(at: list[int], seed: int, solver: str, dtype: str) -> None:
    X, y = regression_data(dtype)
    whole = MomentRegression(solver).fit(X, y)
    streamed = MomentRegression(solver)
    for part in parts(200, at):
        streamed.partial_fit(X[part], y[part])
    merged = in_any_tree([MomentRegression(solver).partial_fit(X[p], y[p]) for p in parts(200, at)], default_rng(seed))
    for model in (streamed, merged):
        assert_allclose(model.coef_, whole.coef_, rtol=1e-9, atol=1e-12)
        assert model.rank_ == whole.rank_
        assert model.covariance_ is None
    # A model that was fitted goes on from there.
    assert_allclose(whole.partial_fit(X, y).coef_, merged.coef_, rtol=1e-9, atol=1e-12)


@pytest.mark.filterwarnings("ignore::unveil.errors.TooNoisy")
@pytest.mark.filterwarnings("ignore:noise left")
@pytest.mark.parametrize("veil", [CoordinateRelease(6.0), PerValueRelease(40.0, 14)], ids=["coordinate", "per_value"])
def test_regression_of_releases_in_any_tree(veil: Any) -> None:
    X = default_rng(0).random((8000, 4))
    y = X.mean(axis=1)
    releases = [veil.publish((X[s:t], y[s:t]), default_rng(s)) for s, t in [(0, 1), (1, 3000), (3000, 8000)]]
    whole = MomentRegression().fit(releases[0].merge(releases[1]).merge(releases[2]))
    for order in ([0, 1, 2], [2, 0, 1], [1, 2, 0]):
        streamed = MomentRegression()
        for k in order:
            streamed.partial_fit(releases[k])
        merged = in_any_tree([MomentRegression().partial_fit(releases[k]) for k in order], default_rng(order[0]))
        for model in (streamed, merged):
            assert_allclose(model.coef_, whole.coef_, rtol=1e-9)
            assert_allclose(model.intervals(), whole.intervals(), rtol=1e-9)
    with pytest.raises(UnveilError, match="same content twice"):
        whole.partial_fit(releases[0])


def test_what_saw_nothing_adds_nothing() -> None:
    X, y = regression_data()
    model, empty = MomentRegression().fit(X, y), MomentRegression().partial_fit(X[:0], y[:0])
    with pytest.raises(NotFittedError):
        empty.predict(X)
    before = model.coef_.copy()
    np.testing.assert_array_equal(model.merge(empty).coef_, before)
    np.testing.assert_array_equal(empty.merge(model).coef_, before)


def test_batches_of_other_kinds_are_refused() -> None:
    X, y = regression_data()
    model = MomentRegression().fit(X, y)
    release = CoordinateRelease(2.0).publish((np.abs(np.tanh(X)), np.abs(np.tanh(y))), default_rng(0))
    refusals: list[tuple[Callable[[], object], str]] = [
        (lambda: model.partial_fit(release), "all be releases, or all be records in the clear"),
        (lambda: model.merge(MomentRegression().fit(X[:, 1:], y)), "as many features merge: 4 and 3"),
        (lambda: model.merge(LinearMoments([[0]], [[1]])), "must be a MomentRegression"),
        (lambda: LinearMoments([[0]], [[1]]).merge(model), "must be a LinearMoments"),
        (lambda: model.partial_fit(X[:, 1:], y), "3 features"),
    ]
    for wrong, message in refusals:
        with pytest.raises(UnveilError, match=message):
            wrong()


PHI, SUPERVISION = [[0, 0], [1, 0], [0, 1]], randomized_response_matrix(3, 0.6)


@settings(deadline=None, max_examples=30)
@given(at=cuts, seed=st.integers(0, 99), project=st.sampled_from([None, "kl"]), one_step=st.booleans())
def test_moments_of_any_cut_in_any_tree(at: list[int], seed: int, project: str | None, one_step: bool) -> None:
    seen = default_rng(0).choice(3, 200, p=[0.3, 0.3, 0.4])
    model = LinearMoments(PHI, SUPERVISION, project, one_step)
    whole = LinearMoments(PHI, SUPERVISION, project, one_step).fit(seen)
    others = []
    for part in parts(200, at):
        model.partial_fit(seen[part])
        others.append(LinearMoments(PHI, SUPERVISION, project, one_step).partial_fit(seen[part]))
    for found in (model, in_any_tree(others, default_rng(seed))):
        for name in ("counts_", "moments_", "coef_", "covariance_"):
            assert_allclose(getattr(found, name), getattr(whole, name), rtol=1e-9)


def test_moments_wait_for_enough_observations() -> None:
    model = LinearMoments(PHI, SUPERVISION).partial_fit([0])
    with pytest.raises(NotFittedError):
        model.predict_proba()
    with pytest.raises(UnveilError, match="no finite theta"):
        LinearMoments(PHI, SUPERVISION).fit([0])
    rest = default_rng(0).choice(3, 500)
    assert_allclose(model.partial_fit(rest).coef_, LinearMoments(PHI, SUPERVISION).fit([0, *rest]).coef_, rtol=1e-9)
    # What was learned goes where it holds no more.
    model.partial_fit([0] * 5000)
    assert [name for name in vars(model) if name.endswith("_")] == ["counts_"]
    with pytest.raises(UnveilError, match="same supervision"):
        model.merge(LinearMoments(PHI, np.eye(3)))


def test_moments_of_two_values_of_x() -> None:
    phi = np.array([PHI, [[0, 1], [1, 0], [0, 0]]])
    seen, x = default_rng(0).choice(3, 300), default_rng(1).choice(2, 300)
    whole, model = LinearMoments(phi, SUPERVISION).fit(seen, x=x), LinearMoments(phi, SUPERVISION)
    for part in parts(300, [1, 150]):
        model.partial_fit(seen[part], x=x[part])
    assert_allclose(model.coef_, whole.coef_, rtol=1e-9)
