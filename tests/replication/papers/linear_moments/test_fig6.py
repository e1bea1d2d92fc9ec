from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression

from checks import assert_mean
from replication import style
from replication.papers.linear_moments.fig6.design import (
    centred,
    number_of_products,
    products,
    scaled_design,
    unfold,
)
from replication.papers.linear_moments.fig6.draw import draw
from replication.papers.linear_moments.fig6.learn import _read_per_value, learn
from replication.papers.linear_moments.fig6.release import release
from replication.papers.linear_moments.fig6.score import COLUMNS, r_squared, score
from replication.randomness import Trial
from unveil.types import Arrays

PROTOCOLS: Mapping[str, Any] = {
    "housing": {"mechanism": "per_value", "levels": [0.3, 10.0, np.inf], "growth_level": 10.0, "every": 1},
    "songs": {"mechanism": "coordinate", "levels": [0.3, 3.0, np.inf], "growth_level": 3.0, "every": 1},
}
SOLVERS, SHARES = ["truncated", "ridge"], [0.1, 1.0]


def trial(stage: str, arm: str, number: int = 0) -> Trial:
    return Trial(1, "linear_moments", "fig6", stage, arm, number)


def small_fields(n: int = 4_000, d: int = 4) -> dict[str, Arrays]:
    rng = np.random.default_rng(2)
    features = rng.uniform(-3, 5, (n, d))
    target = 3 + features @ np.array([0.5, -0.2, 0.1, 0.0]) + 0.1 * rng.normal(size=n)
    years = np.clip(1960 + 8 * features[:, 0] + rng.normal(size=n), 1922, 2011).astype(np.int16)
    split = (np.arange(n) >= 0.9 * n).astype(np.uint8)
    songs: Arrays = {"features": features.astype(np.float32), "target": years, "split": split}
    housing: Arrays = {"features": features, "target": target - target.min()}
    return {"housing": housing, "songs": songs}


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    fields, names = small_fields(), list(PROTOCOLS)
    learned: dict[str, list[Arrays]] = {"all": [], "clear": []}
    for number in (0, 1):
        released = release(fields, trial("release", "all", number), datasets=names, protocols=PROTOCOLS)
        settings: dict[str, Any] = dict(datasets=names, protocols=PROTOCOLS, solvers=SOLVERS, shares=SHARES)
        learned["all"].append(learn({"all": released}, {}, trial("learn", "all", number), **settings))
        learned["clear"].append(learn({}, fields, trial("learn", "clear", number), **settings))
    trials = [trial("score", "score", number) for number in (0, 1)]
    return score(learned, fields, trials, protocols=PROTOCOLS, solvers=SOLVERS, shares=SHARES)


def test_columns_and_grid(scores: pd.DataFrame) -> None:
    assert list(scores.columns) == COLUMNS
    assert set(scores["estimator"]) == {
        *(f"moments_{s}" for s in SOLVERS),
        "binarised",
        "least_squares",
        "constant",
    }
    assert (
        not scores[["dataset", "estimator", "trial", "r2", "n_train", "centred", "panel"]]
        .isna()
        .any(axis=None)
    )
    per_value = scores[(scores["dataset"] == "housing") & scores["level"].notna()]
    assert_allclose(per_value["alpha"], per_value["level"] * number_of_products(4))


def test_more_privacy_is_worse_and_least_squares_is_best(scores: pd.DataFrame) -> None:
    means = scores[(scores["panel"] == "alpha") & ~scores["centred"]]
    for _, own in means.groupby("dataset"):
        curve = own[own["estimator"] == "moments_truncated"].groupby("level")["r2"].mean()
        best = own.loc[own["estimator"] == "least_squares", "r2"].mean()
        assert curve.loc[0.3] < curve.loc[np.inf] <= best


def test_least_squares_is_the_library_s(scores: pd.DataFrame) -> None:
    fields = small_fields()
    for is_centred in (False, True):
        design = scaled_design("housing", fields["housing"], trial("score", "score").public, 1)
        design = centred(design) if is_centred else design
        model = LinearRegression(fit_intercept=False).fit(design.train, design.train_target)
        residual = design.test_target - model.predict(design.test)
        expected = 1 - np.sum(residual**2) / np.sum(design.test_target**2)
        row = (scores["dataset"] == "housing") & (scores["centred"] == is_centred) & (scores["trial"] == 0)
        got = scores.loc[row & (scores["estimator"] == "least_squares"), "r2"].item()
        assert got == pytest.approx(expected, abs=1e-9)


def test_without_features_centred_data_score_nothing(scores: pd.DataFrame) -> None:
    rows = scores[(scores["estimator"] == "constant") & scores["centred"]]
    assert_allclose(rows["r2"], 0, atol=1e-4)


def test_the_footnote_prints_one_minus_r_squared() -> None:
    """Erratum: a perfect fit has ‖Xw − Y‖²/‖Y‖² = 0."""
    X = np.random.default_rng(3).normal(size=(50, 2))
    weights = np.array([[1.0, 2.0], [0.0, 0.0]])
    assert_allclose(r_squared(X, X @ weights[0], weights), [1.0, 0.0], atol=1e-12)


def test_products_unfold_to_the_moments() -> None:
    rng = np.random.default_rng(4)
    X, y = rng.uniform(0, 1, (30, 4)), rng.uniform(0, 1, 30)
    second, cross = unfold(products(X, y).mean(axis=0), 4)
    assert_allclose(second, X.T @ X / 30)
    assert_allclose(cross, X.T @ y / 30)
    assert products(X, y).shape[1] == number_of_products(4)


def test_scaling_stays_in_range_and_halves_do_not_meet() -> None:
    fields = small_fields()["housing"]
    design = scaled_design("housing", fields, trial("release", "all").public, 1)
    assert (len(design.train), len(design.test)) == (3_200, 800)
    both = np.vstack([design.train, design.test])
    assert both.min() == 0
    assert both.max() == 1
    middle = centred(design)
    assert_allclose(middle.train.mean(axis=0), 0, atol=1e-12)
    assert np.abs(middle.train).max() <= 1
    assert len(scaled_design("housing", fields, trial("release", "all").public, 10).train) == 320


def test_owner_learner_and_referee_share_the_split() -> None:
    fields = small_fields()["housing"]
    parts = [
        scaled_design("housing", fields, trial(stage, "x", 1).public, 1) for stage in ("release", "score")
    ]
    assert (parts[0].test == parts[1].test).all()
    other = scaled_design("housing", fields, trial("score", "x", 2).public, 1)
    assert (parts[0].test != other.test).any()


def test_released_bits_have_the_statistics_as_their_mean() -> None:
    """What the learner reads from many releases is unbiased for the moments of the training part."""
    fields = small_fields(n=100)
    design = scaled_design("housing", fields["housing"], trial("release", "all").public, 1)
    exact = products(design.train, design.train_target).mean(axis=0)
    protocol = {**PROTOCOLS["housing"], "levels": [3.0] * 400}
    released = release(fields, trial("release", "all"), datasets=["housing"], protocols={"housing": protocol})
    read = [
        _read_per_value({"bits": released[f"housing.raw.{i}.bits"]}, 4, protocol, 3.0, False)
        for i in range(400)
    ]
    second, cross = unfold(exact, 4)
    assert_mean(np.array([moments[0] for moments in read]), second.ravel())
    assert_mean(np.array([moments[1] for moments in read]), cross)


def test_the_drawing_has_a_column_a_data_set(scores: pd.DataFrame) -> None:
    with style.applied():
        figure = draw(scores)
        assert len(figure.axes) >= 6
        assert [axis.get_title(loc="right") for axis in figure.axes[:2]] == ["housing", "songs"]
