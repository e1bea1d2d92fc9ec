from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from replication.arrays import Named, under
from replication.papers.linear_moments.fig7.learn import learn as learn_figure_7
from replication.papers.linear_moments.fig7.settings import Learn as Figure7
from replication.papers.linear_moments.fig7_size import draw, learn, score
from replication.papers.linear_moments.fig7_size.overtaking import overtaken, trend
from replication.papers.linear_moments.fig7_size.settings import Learn
from replication.randomness import Trial
from stages import drawn
from tagging_fields import FIELDS, TRAINING, public, regions
from unveil.errors import UnveilError

WINDOWS = (4, 0)
ESTIMATORS: dict[str, tuple[int, ...] | None] = {"moments_all": None, "marginal_beam": None}


def trial(stage: str, number: int = 0) -> Trial:
    return Trial(7, "linear_moments", "fig7_size", stage, "treebank", number)


def arrays(number: int = 0, sizes: tuple[int, ...] = (20, 40), most_windows: int = 40) -> Named:
    limits: dict[str, Any] = {"sizes": sizes, "least_passes": 1, "most_windows": most_windows}
    steps: dict[str, Any] = {"optimizer": "adagrad", "rate": 0.1}
    settings = Learn(windows=WINDOWS, estimators=ESTIMATORS, **limits, **steps, **TRAINING)
    return learn.learn(regions(trial("release", number), *WINDOWS), public(), trial("learn", number), settings)


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    return score.score({"treebank": [arrays(0), arrays(1)]}, {"treebank": FIELDS})


def test_no_training_sees_more_windows_than_are_allowed(scores: pd.DataFrame) -> None:
    seen = scores.groupby("n_train")["windows_seen"].unique()
    assert {n: sorted(windows) for n, windows in seen.items()} == {20: [5, 20, 40], 40: [10, 40]}
    assert (scores["windows_seen"] == scores["passes"] * scores["n_train"]).all()


def test_all_sentences_are_figure_7() -> None:
    released = regions(trial("release"), *WINDOWS)
    n = len(released["treebank"][4, "start"])
    settings = Figure7(windows=WINDOWS, estimators=ESTIMATORS, optimizer="adagrad", rate=0.1, **TRAINING)
    whole = learn_figure_7(released, public(), trial("learn"), settings)
    own = arrays(sizes=(20, n), most_windows=10 * n)
    for estimator in ESTIMATORS:
        assert np.array_equal(own["treebank", estimator, 4, n, "tags"], whole["treebank", estimator, 4, "tags"])
        assert under(own, "treebank", estimator, 4, n)["n_train"] == n


def test_more_sentences_than_there_are_are_refused() -> None:
    with pytest.raises(UnveilError, match="sizes must be at most the number of training sentences"):
        arrays(sizes=(20, 10_000))


def test_overtaking_is_the_last_time_that_the_lead_falls_below_zero() -> None:
    lead = {(0.1, 1): 4, (1, 1): -1, (2, 1): 1, (4, 1): -1, (8, 1): -2}
    lead |= {(0.1, 2): -3, (8, 2): -1, (0.1, 3): 1, (8, 3): 1}
    rows = [
        {"corpus": "treebank", "window": 4, "n_train": 10, "trial": trial, "passes": passes, "lead": ahead}
        for (passes, trial), ahead in lead.items()
    ]
    found = overtaken(pd.DataFrame(rows)).set_index("trial")
    assert_allclose(found["passes"], [2 * np.sqrt(2), 0.1, np.inf])
    assert_allclose(found["windows"], 10 * found["passes"])


def test_a_trend_is_a_regression_in_logarithms_whose_interval_covers_a_further_training() -> None:
    """Over 2,000 draws; at 95 % coverage is off by .024 or more with chance below 1e-6 only."""
    rng, n = np.random.default_rng(0), np.repeat([300, 1000, 3396], 5)
    inside = 0
    for _ in range(2_000):
        windows = 50 * n**0.6 * np.exp(0.3 * rng.normal(size=len(n)))
        said = trend(pd.DataFrame({"n_train": n, "windows": windows}), at=40_000)
        new = 50 * 40_000**0.6 * np.exp(0.3 * rng.normal())
        inside += said["windows_low"] <= new <= said["windows_high"]
    assert inside / 2_000 == pytest.approx(0.95, abs=0.024)
    slope, offset = np.polyfit(np.log(n), np.log(windows), 1)
    assert said["exponent"] == pytest.approx(slope)
    assert said["windows"] == pytest.approx(np.exp(offset) * 40_000**slope)
    assert np.isnan(trend(pd.DataFrame({"n_train": [300, 300, 300], "windows": [1.0, 2.0, np.inf]}))["windows"])


def test_it_draws_and_tabulates(scores: pd.DataFrame) -> None:
    axes = drawn("linear_moments.fig7_size", scores).axes
    assert [axis.get_title(loc="left") for axis in axes[:2]] == ["(a) w = 4, by passes", "(b) w = 4, by windows seen"]
    assert list(draw.table(scores)["sentences"]) == ["20", "40", "39,832, extrapolated"] * 2
