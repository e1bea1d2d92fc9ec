"""Counts of random subsets of the tags, from owner to picture."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from replication.arrays import Named, under
from replication.papers.linear_moments.fig7 import learn as figure_7
from replication.papers.linear_moments.fig7.settings import Learn as Figure7
from replication.papers.linear_moments.fig7_tags import learn, release, score
from replication.papers.linear_moments.fig7_tags.settings import Learn, Release
from replication.randomness import Trial
from stages import drawn
from tagging_fields import FIELDS, TRAINING, public

TAGS = (1, 3, 6)


def trial(stage: str, number: int = 0) -> Trial:
    return Trial(7, "linear_moments", "fig7_tags", stage, "treebank", number)


def released(number: int = 0) -> Named:
    settings = Release(windows=(4,), train_sentences=None, tags=TAGS)
    return release.release({"treebank": FIELDS}, trial("release", number), settings)


def learned(number: int = 0) -> Named:
    settings = Learn(
        windows=(4,),
        estimators={"moments_all": None, "marginal_beam": (4,)},
        tags=TAGS,
        optimizer="adagrad",
        rate=0.1,
        **TRAINING,
    )
    return learn.learn({"treebank": released(number)}, public(), trial("learn", number), settings)


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    return score.score({"treebank": [learned(0), learned(1)]}, {"treebank": FIELDS})


@pytest.mark.parametrize("tags", TAGS)
def test_as_many_tags_are_counted_as_are_asked_for_and_no_other(tags: int) -> None:
    parts = under(released(), 4, tags)
    assert (parts["asked"].sum(axis=1) == tags).all()
    assert not parts["counts"][~parts["asked"]].any()
    for start, stop, counts, asked in zip(*(parts[k] for k in ("start", "stop", "counts", "asked")), strict=True):
        whole = np.bincount(FIELDS["tags"][start:stop], minlength=6)
        assert np.array_equal(counts, np.where(asked, whole, 0))
    # Every tag is asked for about as often: 5 standard deviations of a binomial share.
    share, n = parts["asked"].mean(axis=0), len(parts["asked"])
    assert np.abs(share - tags / 6).max() <= 5 * np.sqrt(tags / 6 * (1 - tags / 6) / n)


def test_with_all_tags_it_is_figure_7(scores: pd.DataFrame) -> None:
    parts = under(released(), 4, 6)
    regions: dict[str, Named] = {
        "treebank": {(4, str(name)): array for name, array in parts.items() if name != "asked"}
    }
    settings = Figure7(windows=(4,), estimators={"marginal_beam": (4,)}, optimizer="adagrad", rate=0.1, **TRAINING)
    order = Trial(7, "linear_moments", "fig7_tags", "learn", "treebank", 0)
    alone = figure_7.learn(regions, public(), order, settings)
    assert np.array_equal(
        alone["treebank", "marginal_beam", 4, "tags"], learned()["treebank", "marginal_beam", 4, 6, "tags"]
    )


def test_more_tags_teach_more(scores: pd.DataFrame) -> None:
    last = scores[(scores["passes"] == 2) & (scores["split"] == "train") & (scores["estimator"] == "moments_all")]
    means = last.groupby("tags")["accuracy"].mean()
    assert means[6] > means[1]
    assert len(scores) == 2 * 3 * 2 * 3 * 2


def test_it_draws(scores: pd.DataFrame) -> None:
    titles = [axis.get_title(loc="left") for axis in drawn("linear_moments.fig7_tags", scores).axes]
    assert titles == ["(a) Moments, w = 4", "(b) Marginal likelihood, w = 4"]
