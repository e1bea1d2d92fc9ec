"""The quantifiers that see labels, against QuaPy's, on the same posteriors: another code by other hands."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from sklearn.base import BaseEstimator, ClassifierMixin

from refusals import refused
from replication.papers.class_ratio.fig2.labelled import EVERY_RULE, RULES, classify_folds, hellinger_match
from replication.papers.class_ratio.today.learn import match_densities, match_histograms
from unveil.estimators.bags.quantify import EMQ, ClassifyAndCount, adjust_prior
from unveil.types import Array

#: Where the estimates may differ: HDy looks at shares .005 apart, QuaPy's at shares .01 apart; iterations stop early.
TOLERANCE = {"acc": 1e-9, "pacc": 1e-9, "hdy": 0.0101, "kdey": 2e-3, "emq": 2e-3}


class Posteriors(ClassifierMixin, BaseEstimator):
    """A classifier whose inputs are its posteriors."""

    def __init__(self, classes: int) -> None:
        self.classes = classes
        self.classes_ = np.arange(classes)

    def fit(self, X: Array, y: Array) -> Posteriors:  # noqa: ARG002
        """Nothing to learn."""
        return self

    def predict_proba(self, X: Array) -> Array:
        """The inputs."""
        return X

    def predict(self, X: Array) -> Array:
        """The likeliest class."""
        return np.asarray(X.argmax(axis=1))


@pytest.fixture(scope="module")
def quapy() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("quapy.method.aggregative")


def draw(counts: list[int], seed: int) -> tuple[Array, Array]:
    """Posteriors of so many points of each class, more or less sure, with the classes."""
    labels = np.repeat(np.arange(len(counts)), counts)
    shapes = 1.0 + 1.5 * np.eye(len(counts))
    rng = default_rng([len(counts), seed])
    return np.concatenate([rng.dirichlet(shapes[k], n) for k, n in enumerate(counts)]), labels


def theirs(quapy: ModuleType, rule: str, classes: int) -> Any:
    model = Posteriors(classes)
    exact = {"solver": "exact-raise", "norm": "mapsimplex"}
    if rule in ("acc", "pacc"):
        return getattr(quapy, rule.upper())(model, fit_classifier=False, **exact)
    return {"hdy": quapy.HDy, "kdey": quapy.KDEyML}[rule](model, fit_classifier=False)


CASES = [(rule, counts) for rule in RULES for counts in ([270, 30], [90, 210], [10, 290])]
CASES += [
    (rule, counts) for rule in ("acc", "pacc", "kdey") for counts in ([200, 60, 40], [10, 20, 270], [100, 100, 100])
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("rule", "counts"), CASES)
def test_ratios_are_quapys(quapy: Any, rule: str, counts: list[int]) -> None:
    train, labels = draw([150, 250, 200][: len(counts)], 0)
    test, _ = draw(counts, 1)
    other = theirs(quapy, rule, len(counts)).fit(train, labels)
    seen = test.argmax(axis=1) if rule == "acc" else test
    np.testing.assert_allclose(RULES[rule](train, labels, test), other.aggregate(seen), atol=TOLERANCE[rule])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("counts", [[270, 30], [10, 20, 270]])
def test_the_most_likely_prior_is_quapys(quapy: Any, counts: list[int]) -> None:
    _, labels = draw([150, 250, 200][: len(counts)], 0)
    prior = np.bincount(labels) / len(labels)
    test, _ = draw(counts, 1)
    other, _ = quapy.EMQ.EM(prior, test, epsilon=1e-6)
    np.testing.assert_allclose(adjust_prior(test, prior), other, atol=TOLERANCE["emq"])


PEERS: dict[Any, tuple[str, dict[str, Any], float]] = {
    match_densities: ("KDEyML", {}, 3e-3),
    match_histograms: ("DMy", {"nbins": 8, "divergence": "topsoe"}, 0.02),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("counts", [[270, 30], [10, 90, 200]])
@pytest.mark.parametrize("method", list(PEERS))
def test_where_labels_are_known_the_quantifiers_are_quapys(
    quapy: Any, method: Callable[[Any], Array], counts: list[int]
) -> None:
    train, labels = draw([150, 250, 200][: len(counts)], 0)
    test, _ = draw(counts, 1)
    name, settings, tolerance = PEERS[method]
    other = getattr(quapy, name)(Posteriors(len(counts)), fit_classifier=False, **settings).fit(train, labels)
    weights = (labels == np.arange(len(counts))[:, None]) / np.bincount(labels)[:, None]
    ours = method(SimpleNamespace(seen=(train, weights, [test])))[0]
    np.testing.assert_allclose(ours, other.aggregate(test), atol=tolerance)


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_finds_a_shifted_prior(rule: str) -> None:
    rng = default_rng(1)
    y = np.repeat([3, 7], 400)
    unknown = np.repeat([3, 7], [40, 360])

    def draw(labels: Array) -> Array:
        return np.asarray(rng.normal(1.5 * (labels == 7), 1.0)[:, None])

    posteriors, classes, model = classify_folds(draw(y), y)
    found = RULES[rule](posteriors, classes, model.predict_proba(draw(unknown)))
    np.testing.assert_allclose(found, [0.1, 0.9], atol=0.12)


@pytest.mark.parametrize(("rule", "alone"), [("emq", EMQ()), ("classify_count", ClassifyAndCount())])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_one_classifier_serves_every_rule(rule: str, alone: Any, kind: type) -> None:
    rng = default_rng(2)
    y = np.repeat([3, 7], [120, 80])
    points: Array = rng.normal(np.where(y == 7, 1.5, 0.0)[:, None], 1.0, (200, 2)).astype(kind)
    posteriors, classes, model = classify_folds(points, y)
    for test in (points[90:], points[:1]):
        found = EVERY_RULE[rule](posteriors, classes, model.predict_proba(test))
        np.testing.assert_array_equal(found, alone.fit(points, y).predict(test))


test_wrong = refused((lambda: hellinger_match(np.eye(3), np.arange(3), np.eye(3)), "two classes"))
