from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from replication.arrays import Named, under
from replication.papers.linear_moments.fig7 import learn as figure_7
from replication.papers.linear_moments.fig7.settings import Learn as Figure7
from replication.papers.linear_moments.fig7_steps import draw, learn, score
from replication.papers.linear_moments.fig7_steps.settings import Learn
from replication.randomness import Trial
from replication.settings import Nothing
from tagging_fields import FIELDS, TRAINING, public, regions


def trial(stage: str, number: int = 0) -> Trial:
    return Trial(7, "linear_moments", "fig7_steps", stage, "treebank", number)


def arrays(number: int = 0) -> Named:
    released = regions(trial("release", number), 4, train_sentences=30)
    settings = Learn(
        estimators={"moments": (4,), "marginal_exact": (4,)},
        rates={"adagrad": (0.1, 0.3), "sgd": (0.1,)},
        step1_limits=(1, 100),
        **TRAINING,
    )
    return learn.learn(released, public(), trial("learn", number), settings)


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    learned = {"treebank": [arrays(0), arrays(1)]}
    return score.score(learned, {"treebank": FIELDS}, [trial("score")], Nothing())


def test_every_combination_is_run_once(scores: pd.DataFrame) -> None:
    assert list(scores.columns) == score.COLUMNS
    runs = scores.groupby(["estimator", "optimizer", "rate", "step1_passes", "trial"]).size()
    assert (runs == 3 * 2).all()
    assert len(runs) == (3 * 2 + 3) * 2
    moments = scores.loc[scores["estimator"] == "moments", "step1_passes"]
    assert moments.min() == 1 < moments.max()
    assert (scores.loc[scores["estimator"] == "marginal_exact", "step1_passes"] == 0).all()


def test_a_run_is_the_tagger_of_figure_7_at_that_rate() -> None:
    released = regions(trial("release"), 4, train_sentences=30)
    settings = Figure7(estimators={"marginal_exact": (4,)}, optimizer="sgd", rate=0.1, **TRAINING)
    alone = figure_7.learn(released, public(), trial("learn"), settings)
    runs = under(arrays(), "treebank", "marginal_exact", 4)
    (run,) = [name[0] for name, value in runs.items() if name[1] == "optimizer" and value == "sgd"]
    assert np.array_equal(runs[run, "tags"], alone["treebank", "marginal_exact", 4, "tags"])


def test_it_draws(scores: pd.DataFrame) -> None:
    figure = draw.draw(scores)
    titles = [axis.get_title(loc="left") for axis in figure.axes]
    assert titles[:2] == ["(a) AdaGrad 0.1", "(b) AdaGrad 0.3"]
