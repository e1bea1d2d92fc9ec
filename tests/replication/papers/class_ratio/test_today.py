"""Class ratios at equal exact privacy: every quantifier finds what a toy world has, through either veil."""

from __future__ import annotations

from math import log

import numpy as np
import pandas as pd
import pytest

import stages
from replication.arrays import Named
from replication.papers.class_ratio.today.learn import METHODS, sort_reports
from replication.papers.class_ratio.today.release import NOISES, response
from unveil.types import Array

ASKED = {
    "sets": {"census": {"classes": 3, "train": 300, "validation": 150, "test": 200}},
    "epsilons": (1.0, 12.0),
    "tests": 3,
    "noises": list(NOISES),
    "methods": list(METHODS),
}


def toy() -> dict[str, Array]:
    """Classes six deviations apart."""
    rng = np.random.default_rng(0)
    labels = rng.permutation(np.repeat(np.arange(3), 1200)).astype(np.uint8)
    features = rng.normal(size=(len(labels), 4)) + 6 * np.eye(3, 4)[labels]
    return {"features": features.astype(np.float32), "labels": labels}


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    """Two trials of everything."""
    data, place = toy(), "class_ratio.today"
    learned: dict[str, list[Named]] = {"proportions": [], "labels": []}
    for number in range(2):
        released = stages.run(place, "release", "sets", number, [{"census": {"labels": data["labels"]}}], ASKED)
        for arm, found in learned.items():
            public = {"census": {"features": data["features"]}}
            found.append(stages.run(place, "learn", arm, number, [{"sets": released}, public], ASKED))
    return stages.scored(place, 2, ASKED, learned)


@pytest.mark.slow
def test_nearly_without_noise_everyone_is_right_and_with_it_the_sets_still_are(scores: pd.DataFrame) -> None:
    means = scores.groupby(["method", "epsilon"])["error"].mean()
    assert means[:, 12.0].max() < 0.1
    assert means["mmd", 1.0] < 0.1
    assert set(scores["n"]) == {3 * 450}
    assert set(scores.loc[scores["method"].str.contains("gaussian|dirichlet"), "delta"]) == {0.05}


@pytest.mark.slow
def test_the_picture_and_its_table(scores: pd.DataFrame) -> None:
    stages.drawn("class_ratio.today", scores)
    assert len(stages.module("class_ratio.today", "draw").table(scores)) == scores["method"].nunique()


@pytest.mark.parametrize("epsilon", [0.1, 3.0])
def test_the_response_has_its_exact_level(epsilon: float) -> None:
    matrix = response(4, epsilon).matrix
    assert log(matrix.max() / matrix.min()) == pytest.approx(epsilon)


def test_shares_behind_reports_are_those_of_the_classes_among_them() -> None:
    rng = np.random.default_rng(1)
    labels = rng.choice(3, 90_000, p=[0.6, 0.3, 0.1])
    reports = response(3, 1.0).release(labels, rng)
    bags, (shares, _) = sort_reports([[labels[:60_000, None]], [labels[60_000:, None]]], reports, 1.0, 3)
    for bag, row in zip(bags[0], shares, strict=True):
        assert np.bincount(bag[:, 0], minlength=3) / len(bag) == pytest.approx(row, abs=0.02)
