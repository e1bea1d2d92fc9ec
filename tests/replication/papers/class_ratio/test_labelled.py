"""Peers that see labels, against closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from scipy.stats import gaussian_kde, norm

from refusals import refused
from replication.papers.class_ratio.fig2.labelled import (
    EVERY_RULE,
    RULES,
    LabelledQuantifier,
    adjusted_count,
    density_match,
    hellinger_match,
    probabilistic_count,
)
from unveil.estimators.bags.quantify import EMQ, ClassifyAndCount
from unveil.types import Array


def posteriors(rates: Array, counts: Array) -> tuple[Array, Array]:
    """Points of every class, of which the shares `rates[k]` get posteriors of .9 for each class in turn."""
    sure = np.full(rates.shape, 0.1 / (len(rates) - 1)) + np.eye(len(rates)) * (0.9 - 0.1 / (len(rates) - 1))
    parts = [np.repeat(sure, np.round(r * n).astype(int), axis=0) for r, n in zip(rates, counts, strict=True)]
    return np.concatenate(parts), np.repeat(np.arange(len(counts)), [len(p) for p in parts])


RATES = np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.0, 0.3, 0.7]])


@pytest.mark.parametrize("rule", [adjusted_count, probabilistic_count])
def test_counts_are_unmixed_exactly_where_the_rates_are_the_same(rule: Any) -> None:
    train, labels = posteriors(RATES, np.array([100, 100, 100]))
    test, classes = posteriors(RATES, np.array([100, 300, 600]))
    assert rule in RULES.values()
    np.testing.assert_allclose(rule(train, labels, test), np.bincount(classes) / 1000, atol=1e-12)


@pytest.mark.parametrize("share", [0.1, 0.35, 0.8])
def test_histograms_match_exactly_where_the_laws_are_the_same(share: float) -> None:
    grid = norm.cdf(np.linspace(-2, 2, 1000))
    first, second = grid**2, np.sqrt(grid)
    train = np.concatenate([first, second])
    test = np.concatenate([np.repeat(first, round(100 * (1 - share))), np.repeat(second, round(100 * share))])
    as_pairs = [np.column_stack([1 - p, p]) for p in (train, test)]
    labels = np.repeat([0, 1], 1000)
    np.testing.assert_allclose(hellinger_match(as_pairs[0], labels, as_pairs[1]), [1 - share, share], atol=1e-9)


def test_the_kernel_density_is_scipys_and_its_mixture_the_most_likely_one() -> None:
    rng = default_rng(0)

    def draw(a: float, b: float, n: int) -> Array:
        share = rng.beta(a, b, n)
        return np.column_stack([1 - share, share])

    train, labels = np.concatenate([draw(2, 4, 150), draw(4, 2, 150)]), np.repeat([0, 1], 150)
    test = np.concatenate([draw(2, 4, 60), draw(4, 2, 140)])
    found = density_match(train, labels, test)
    # On the line of pairs (1 − p, p) a distance is √2 that of p.
    laws = []
    for k in range(2):
        own = train[labels == k, 1]
        law = gaussian_kde(own)
        law.set_bandwidth(0.1 / np.sqrt(2) / own.std(ddof=1))
        laws.append(law(test[:, 1]))
    shares = np.linspace(0, 1, 10_001)
    best = shares[np.argmax([np.log((1 - s) * laws[0] + s * laws[1]).sum() for s in shares])]
    np.testing.assert_allclose(found, [1 - best, best], atol=2e-4)


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_finds_a_shifted_prior(rule: str) -> None:
    rng = default_rng(1)
    y = np.repeat([3, 7], 400)
    unknown = np.repeat([3, 7], [40, 360])

    def draw(labels: Array) -> Array:
        return np.asarray(rng.normal(1.5 * (labels == 7), 1.0)[:, None])

    model = LabelledQuantifier(rule).fit(draw(y), y)
    np.testing.assert_allclose(model.predict(draw(unknown)), [0.1, 0.9], atol=0.12)


@pytest.mark.parametrize("rule", EVERY_RULE)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_one_classifier_serves_every_rule(rule: str, kind: type) -> None:
    rng = default_rng(2)
    y = np.repeat([3, 7], [120, 80])
    points: Array = rng.normal(np.where(y == 7, 1.5, 0.0)[:, None], 1.0, (200, 2)).astype(kind)
    shared = LabelledQuantifier().fit(points, y)
    alone = {"emq": EMQ(), "classify_count": ClassifyAndCount()}.get(rule) or LabelledQuantifier(rule)
    for test in (points[90:], points[:1]):
        found = EVERY_RULE[rule](shared.posteriors_, shared.labels_, shared.model_.predict_proba(test))
        np.testing.assert_array_equal(found, alone.fit(points, y).predict(test))


test_wrong = refused(
    (lambda: LabelledQuantifier("other").fit([[0.0], [1.0]], [0, 1]), "rule must be one of"),
    (lambda: hellinger_match(np.eye(3), np.arange(3), np.eye(3)), "two classes"),
)
