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
from tagging_fields import FIELDS, TRAINING, public, regions
from unveil.estimators.counts.count_tagger import CountTagger


def trial(stage: str, number: int = 0) -> Trial:
    return Trial(7, "linear_moments", "fig7_steps", stage, "treebank", number)


def arrays(number: int = 0) -> Named:
    released = regions(trial("release", number), 4, train_sentences=30)
    settings = Learn(
        windows=(4,),
        estimators={"moments": None, "moments_sgd": None, "marginal_exact": (4,)},
        rates={"adagrad": (0.1, 0.3), "sgd": (0.1,)},
        held_out=0.2,
        **TRAINING,
    )
    return learn.learn(released, public(), trial("learn", number), settings)


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    learned = {"treebank": [arrays(0), arrays(1)]}
    return score.score(learned, {"treebank": FIELDS})


def test_every_combination_is_run_once(scores: pd.DataFrame) -> None:
    runs = scores.groupby(["estimator", "optimizer", "rate", "trial"]).size()
    assert (runs == 3 * 2).all()
    assert len(runs) == 3 * 3 * 2
    assert (scores.loc[scores["estimator"] == "marginal_exact", "step1_passes"] == 0).all()


@pytest.mark.parametrize("estimator", ["marginal_exact", "moments"])
def test_a_run_is_the_tagger_of_figure_7_at_that_rate(estimator: str) -> None:
    released = regions(trial("release"), 4, train_sentences=30)
    settings = Figure7(windows=(4,), estimators={estimator: None}, optimizer="sgd", rate=0.1, **TRAINING)
    seen, _ = learn.divide_regions(under(released["treebank"], 4), trial("learn"), 0.2)
    part: dict[str, Named] = {"treebank": {(4, str(name)): array for name, array in seen.items()}}
    alone = figure_7.learn(part, public(), trial("learn"), settings)
    runs = under(arrays(), "treebank", estimator, 4)
    (run,) = [name[0] for name, value in runs.items() if name[1] == "optimizer" and value == "sgd"]
    assert np.array_equal(runs[run, "tags"], alone["treebank", estimator, 4, "tags"])


def test_each_estimator_has_one_best_rate_a_trial_and_it_has_the_least_error_on_held_out_counts(
    scores: pd.DataFrame,
) -> None:
    for _, own in scores.groupby(["estimator", "trial"]):
        errors = own.groupby(["optimizer", "rate"])["held_out"].mean()
        chosen = own[own["chosen"]].groupby(["optimizer", "rate"]).size()
        assert chosen.index.tolist() == [errors.idxmin()]
        assert chosen.tolist() == [3 * 2]


def test_held_out_windows_train_nothing_and_their_error_is_that_of_expected_counts() -> None:
    released = under(regions(trial("release"), 4, train_sentences=30)["treebank"], 4)
    seen, held = learn.divide_regions(released, trial("learn"), 0.2)
    assert sorted([*seen["start"], *held["start"]]) == sorted(released["start"])
    assert len(held["start"]) == 6
    text = public()["treebank"]
    tagger = CountTagger("moments", n_tags=6, passes=1, random_state=0)
    tagger.fit(figure_7.windows_of(seen, text), seen["counts"])
    chances = tagger.predict_proba(text["words"].tolist())
    error = 0.0
    for start, stop, counts in zip(held["start"], held["stop"], held["counts"], strict=True):
        error += np.sum((chances[text["tokens"][start:stop]].sum(axis=0) - counts) ** 2)
    expected = error / np.sum(held["stop"] - held["start"])
    assert learn.count_error(tagger, figure_7.windows_of(held, text), held["counts"]) == pytest.approx(expected)


def test_the_best_rate_is_that_of_the_most_right_tags_in_the_sentences_held_out(scores: pd.DataFrame) -> None:
    """Token by token."""
    released = under(regions(trial("release"), 4, train_sentences=30)["treebank"], 4)
    _, held = learn.divide_regions(released, trial("learn"), 0.2)
    sentences = np.searchsorted(FIELDS["sentences"], held["start"], side="right") - 1
    inside = np.concatenate([np.arange(*FIELDS["sentences"][s : s + 2]) for s in sentences])
    runs = under(arrays(), "treebank", "moments_sgd", 4)
    right = {
        name[0]: (tags[:, FIELDS["tokens"][inside]] == FIELDS["tags"][inside]).mean()
        for name, tags in runs.items()
        if name[1] == "tags"
    }
    best = max(right, key=lambda run: right[run])
    marked = scores.query("estimator == 'moments_sgd' and trial == 0 and best")
    names = ["optimizer", "rate"]
    assert set(marked[["optimizer", "rate"]].itertuples(index=False, name=None)) == {
        tuple(runs[best, name].item() for name in names)
    }
    assert len(marked) == 3 * 2


def test_it_tabulates(scores: pd.DataFrame) -> None:
    table = draw.table(scores)
    assert list(table.columns) == ["window", "estimator", "AdaGrad 0.1", "AdaGrad 0.3", "SGD 0.1"]
    cells = table.set_index("estimator").drop(columns="window")
    assert (cells.map(lambda cell: "[" in cell).sum(axis=1) == 1).all()
    assert (cells.map(lambda cell: "*" in cell).sum(axis=1) == 1).all()
    one = scores.query("estimator == 'marginal_exact' and optimizer == 'sgd' and split == 'test'")["accuracy"].mean()
    assert cells.loc["marginal, exact", "SGD 0.1"].strip("[]*") == f"{100 * one:.1f}"
