"""Every estimator with its defaults on clean textbook tables, as good as scikit-learn's counterpart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import unveil
from unveil.types import Array

TABLES: dict[str, Callable[..., Any]] = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer}
CLASSIFIERS: dict[str, Callable[[Array, Array], Any]] = {
    "MeanOperatorClassifier": lambda X, y: unveil.MeanOperatorClassifier().fit(X, y),
    "MomentClassifier": lambda X, y: unveil.MomentClassifier().fit(X, y),
    "SpreadLogisticRegression": lambda X, y: unveil.SpreadLogisticRegression(noise="gaussian", l2=1e-3).fit(X, y),
    # Every class is a bag of its own: the most that proportions can say.
    "MeanMapClassifier": lambda X, y: unveil.MeanMapClassifier().fit(X, y, {0: 0.0, 1: 1.0}),
}
QUANTIFIERS = ["MMDClassRatio", "SetIdEM", "SetIdLogistic"]


def split(name: str) -> list[Array]:
    X, y = TABLES[name](return_X_y=True)
    parts: list[Array] = train_test_split(X, (y == y.max()).astype(int), test_size=0.4, random_state=0)
    return parts


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_classifiers(kind: str, name: str, scaled: bool) -> None:
    X, test, y, truth = split(name)
    peer = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y).score(test, truth)
    if scaled:
        scaler = StandardScaler().fit(X)
        X, test = scaler.transform(X), scaler.transform(test)
    elif kind == "MeanMapClassifier" or name == "wine":
        pytest.skip("a ridge without scaling is another model, for scikit-learn's classifiers, too")
    model = CLASSIFIERS[kind](X, y)
    margins = model.decision_function(test)
    assert np.mean((margins > 0) == (truth == 1)) > peer - 0.06
    assert np.any(model.intercept_ != 0)


@pytest.mark.parametrize("units", [1.0, 1e4])
def test_regression(units: float) -> None:
    X, y = load_diabetes(return_X_y=True, scaled=False)
    X, test, y, truth = train_test_split(X * units, y, test_size=0.4, random_state=0)
    expected = LinearRegression().fit(X, y)
    model = unveil.MomentRegression().fit(X, y)
    np.testing.assert_allclose(model.predict(test), expected.predict(test), rtol=1e-5)
    assert model.score(test, truth) == pytest.approx(expected.score(test, truth), abs=1e-6)
    streamed = unveil.MomentRegression()
    for start in range(0, len(X), 50):
        streamed.partial_fit(X[start : start + 50], y[start : start + 50])
    np.testing.assert_allclose(streamed.predict(test), expected.predict(test), rtol=1e-5)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("kind", QUANTIFIERS)
def test_class_ratios(kind: str, name: str) -> None:
    """Sets of known shares; no worse than counting the predictions of a classifier that saw the labels."""
    X, test, y, truth = split(name)
    scaler, rng = StandardScaler().fit(X), default_rng(0)
    X, test = scaler.transform(X), scaler.transform(test)

    def draw(points: Array, labels: Array, share: float) -> Array:
        chosen = [rng.choice(np.flatnonzero(labels == c), round(120 * w)) for c, w in ((0, 1 - share), (1, share))]
        return np.asarray(points[np.concatenate(chosen)])

    shares = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
    model = getattr(unveil, kind)().fit([draw(X, y, s) for s in shares], np.column_stack([1 - shares, shares]))
    asked = [draw(test, truth, s) for s in (0.2, 0.6)]
    counted = LogisticRegression().fit(X, y)
    peer = np.mean([abs(counted.predict(points).mean() - s) for points, s in zip(asked, (0.2, 0.6), strict=True)])
    error = np.abs(model.predict(asked)[:, 1] - [0.2, 0.6]).mean()
    assert error < peer + 0.08
