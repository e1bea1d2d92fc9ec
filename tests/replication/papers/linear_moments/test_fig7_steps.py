from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from replication.papers.linear_moments.fig7 import learn as figure_7
from replication.papers.linear_moments.fig7_steps import draw, learn, release, score
from replication.randomness import Trial
from tagging_fields import FIELDS, PUBLIC, TRAINING
from unveil.types import Arrays

RATES = {"adagrad": [0.1, 0.3], "sgd": [0.1]}


def trial(stage: str, number: int = 0) -> Trial:
    return Trial(7, "linear_moments", "fig7_steps", stage, "treebank", number)


def arrays(number: int = 0) -> Arrays:
    regions = release.release({"treebank": FIELDS}, trial("release", number), windows=[4], train_sentences=30)
    settings = {name: value for name, value in TRAINING.items() if name not in ("optimizer", "rate")}
    return learn.learn(
        {"treebank": regions},
        {"treebank": {name: FIELDS[name] for name in PUBLIC}},
        trial("learn", number),
        estimators={"moments": [4], "marginal_exact": [4]},
        rates=RATES,
        step1_limits=[1, 100],
        **settings,
    )


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    return score.score({"treebank": [arrays(0), arrays(1)]}, {"treebank": FIELDS}, [trial("score")])


def test_every_combination_is_run_once(scores: pd.DataFrame) -> None:
    assert list(scores.columns) == score.COLUMNS
    runs = scores.groupby(["estimator", "optimizer", "rate", "step1_passes", "trial"]).size()
    assert (runs == 3 * 2).all()
    assert len(runs) == (3 * 2 + 3) * 2
    moments = scores.loc[scores["estimator"] == "moments", "step1_passes"]
    assert moments.min() == 1 < moments.max()
    assert (scores.loc[scores["estimator"] == "marginal_exact", "step1_passes"] == 0).all()


def test_a_run_is_the_tagger_of_figure_7_at_that_rate() -> None:
    regions = release.release({"treebank": FIELDS}, trial("release"), windows=[4], train_sentences=30)
    alone = figure_7.learn(
        {"treebank": regions},
        {"treebank": {name: FIELDS[name] for name in PUBLIC}},
        trial("learn"),
        estimators={"marginal_exact": [4]},
        **{**TRAINING, "optimizer": "sgd", "rate": 0.1},
    )
    study = arrays()
    (run,) = np.flatnonzero((study["estimator"] == "marginal_exact") & (study["optimizer"] == "sgd"))
    assert np.array_equal(study["tags"][run], alone["tags_marginal_exact_4"])


def test_it_draws(scores: pd.DataFrame) -> None:
    figure = draw.draw(scores)
    titles = [axis.get_title() for axis in figure.axes]
    assert titles[:2] == ["AdaGrad 0.1", "AdaGrad 0.3"]
