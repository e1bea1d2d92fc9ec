"""Bags that keep the assumption of mean map, bags that break it, and shares that keep a promise."""

from __future__ import annotations

from math import inf

import numpy as np
import pandas as pd
import pytest

from checks import assert_mean
from mean_operator_world import fields, walk
from replication.palette import METHODS
from replication.papers.mean_operator.proportions import release
from stages import drawn

SETTINGS = {"bag_counts": [2, 1000], "smallest": 50, "alphas": [1.0], "loss": "logistic", "l2": 0.01, "tolerance": 1e-8}
ARMS = {name: {**SETTINGS, "dataset": name} for name in fields()}


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    return walk("proportions", ARMS, 2)[1]


def test_columns_and_cells_are_complete(scores: pd.DataFrame) -> None:
    assert scores.notna().all().all()
    assert set(scores["method"]) - {"mean_operator"} == {"mean_map", "soft_labels"} <= set(METHODS)
    # Two methods, two baggings, two numbers of bags, the second of few records each; the operator; exact and one α.
    assert (scores.groupby(["dataset", "trial"]).size() == (2 * 2 * 2 + 1) * 2).all()
    assert set(scores["alpha"]) == {1.0, inf}
    assert ((scores["mechanism"] == "none") == (scores["alpha"] == inf)).all()


def test_homogeneous_bags_differ_in_shares_and_not_in_features() -> None:
    rng = np.random.default_rng(0)
    y = rng.choice([-1, 1], 4000)
    feature = rng.normal(size=4000) + y
    gaps = []
    for _ in range(60):
        bags = release.homogeneous_bags(np.empty((4000, 0)), y, 4, rng)
        positive = [feature[(bags == j) & (y > 0)].mean() for j in range(4)]
        gaps.append(np.array(positive) - feature[y > 0].mean())
        shares = [np.mean(y[bags == j] > 0) for j in range(4)]
        assert shares == sorted(shares)
        assert shares[3] - shares[0] > 0.3
    assert_mean(gaps, np.zeros(4))


def test_sorted_bags_are_slices_of_equal_size() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(100, 3)) * [10, 1, 1]
    bags = release.sorted_bags(X, np.empty(100), 4, rng)
    assert np.array_equal(np.bincount(bags), [25] * 4)
    ordered = bags[np.argsort(X[:, 0])]
    assert abs(np.corrcoef(ordered, np.arange(100))[0, 1]) > 0.9


def test_noisy_shares_are_unbiased_counts_within_bounds() -> None:
    y, bags = np.repeat([1, -1, 1], 400), np.arange(1200) % 3
    rng = np.random.default_rng(2)
    draws = np.array([release.noisy_shares(y, bags, 3, [0.5], lambda _: rng) for _ in range(3000)])
    exact = [np.mean(y[bags == j] > 0) for j in range(3)]
    assert np.allclose(draws[:, 0], exact)
    assert_mean(draws[:, 1], exact)
    assert_mean((draws[:, 1] - exact) ** 2, np.full(3, 2 / 0.5**2 / 400**2))


def test_figure_draws(scores: pd.DataFrame) -> None:
    assert len(drawn("mean_operator.proportions", scores).axes) == 6
