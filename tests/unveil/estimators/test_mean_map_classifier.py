"""A classifier from proportions: mean map's statistic, and the learner of the mean operator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError

from refusals import refused
from unveil.estimators.bags.mean_map import mean_map
from unveil.estimators.mean_map_classifier import MeanMapClassifier
from unveil.estimators.statistics.classifier import MeanOperatorClassifier
from unveil.types import Array, Floats


def world(m: int = 900, seed: int = 0) -> tuple[Floats, Array, Array]:
    """Records whose features depend on their bag through their label alone."""
    rng = np.random.default_rng(seed)
    y = rng.choice([-1, 1], m)
    X = rng.normal(size=(m, 3)) + 0.7 * np.outer(y, [1.0, 0.0, -1.0]) + 0.5
    return X, y, np.where(rng.random(m) < np.where(y > 0, 0.8, 0.3), 0, 1)


def shares(y: Array, bags: Array) -> Floats:
    return np.array([np.mean(y[bags == bag] > 0) for bag in np.unique(bags)])


@pytest.mark.parametrize("names", [["b", "a"], [30, -2], [2.5, 1.5], [True, False]])
def test_bags_may_have_any_labels(names: list[Any]) -> None:
    X, y, bags = world()
    labels = np.array(names)[bags]
    told = dict(zip(names, shares(y, bags).tolist(), strict=True))
    plain = MeanMapClassifier().fit(X, bags, shares(y, bags))
    for proportions in (told, [told[name] for name in sorted(names)]):
        named = MeanMapClassifier().fit(X, labels, proportions)
        assert_allclose(named.coef_, plain.coef_)
        assert named.bags_.tolist() == sorted(names)


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_it_is_the_mean_operators_learner_on_mean_maps_statistic(fit_intercept: bool) -> None:
    X, y, bags = world()
    model = MeanMapClassifier("square", 0.1, fit_intercept=fit_intercept).fit(X, bags, shares(y, bags))
    rows = np.column_stack([X, np.ones(len(X))]) if fit_intercept else X
    mu = mean_map(rows, bags, shares(y, bags))
    peer = MeanOperatorClassifier("square", 0.1, fit_intercept=fit_intercept).fit_statistic(X, mu)
    assert_allclose(model.decision_function(X), peer.decision_function(X))
    assert_allclose(model.predict_proba(X), peer.predict_proba(X))
    if fit_intercept:
        assert model.statistic_[-1] == pytest.approx(y.mean())


def test_it_learns_about_what_labels_teach() -> None:
    X, y, bags = world(4000)
    test, truth, _ = world(4000, seed=1)
    ceiling = MeanOperatorClassifier(fit_intercept=True).fit(X, y).score(test, truth)
    found = MeanMapClassifier(fit_intercept=True).fit(X, bags, shares(y, bags)).score(test, truth)
    assert found > ceiling - 0.03


X, Y, BAGS = world(60)
test_bad_arguments_are_named = refused(
    ((X, BAGS[:5], [0.1, 0.9]), "bags"),
    ((X, BAGS, [0.1, 0.5, 0.9]), "proportions"),
    ((X, BAGS, {0: 0.5}), "proportions must name every bag"),
    ((X, BAGS, [0.5, 0.5]), "proportions must differ"),
    ((X, BAGS, [0.5, 1.5]), "proportions"),
    ((X[:, 0], BAGS, [0.1, 0.9]), "X"),
    ((X, np.array([*"ab", None] * 20, dtype=object), [0.1, 0.9]), "bags"),
    call=lambda arguments: MeanMapClassifier().fit(*arguments),
)


def test_predictions_need_a_fit() -> None:
    with pytest.raises(NotFittedError):
        MeanMapClassifier().predict(X)
    assert not hasattr(MeanMapClassifier("linear"), "predict_proba")
