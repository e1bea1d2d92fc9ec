from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest

from replication.arrays import Named, under
from replication.papers.linear_moments.fig7 import learn, score
from replication.papers.linear_moments.fig7.settings import Learn, Windows
from replication.randomness import Trial
from stages import drawn
from tagging_fields import FIELDS, TRAINING, public, regions
from unveil.estimators.counts.tagger import Tagger
from unveil.types import Array

WINDOWS = (1, 3, 0)
CORPORA = (("c", "Treebank"), ("d", "EWT"))
ESTIMATORS: Mapping[str, Windows | None] = {
    "most_frequent": WINDOWS,
    "moments": None,
    "moments_features": (3,),
    "moments_sgd": (3, 20),
    "moments_sgd_mean_all": (3,),
    "moments_sgd_two_all": (3,),
    "marginal_exact": (1, 3),
    "marginal_beam": (1, 0),
    "marginal_merged": (0,),
}


def trial(stage: str, number: int = 0) -> Trial:
    return Trial(7, "linear_moments", "fig7", stage, "treebank", number)


def released(number: int = 0, train_sentences: int | None = None) -> Named:
    return regions(trial("release", number), *WINDOWS, train_sentences=train_sentences)["treebank"]


def learned(estimators: Mapping[str, Windows | None], number: int = 0, *seen: str) -> Named:
    settings = Learn(windows=WINDOWS, estimators=dict(estimators), optimizer="adagrad", rate=0.1, **TRAINING)
    return learn.learn({"treebank": released(number)}, public(*seen), trial("learn", number), settings)


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    arms = {
        "treebank": [learned(ESTIMATORS, number) for number in (0, 1)],
        "treebank_supervised": [learned({"supervised": WINDOWS}, number, "tags") for number in (0, 1)],
    }
    return score.score(arms, {"treebank": FIELDS})


def test_the_owner_releases_windows_of_training_sentences_and_counts_alone() -> None:
    names = {(window, kind) for window in WINDOWS for kind in ("start", "stop", "counts")}
    windows = released()
    assert set(windows) == names
    sentence = np.searchsorted(FIELDS["sentences"], windows[3, "start"], side="right") - 1
    assert sentence.tolist() == np.flatnonzero(FIELDS["split"] == 0).tolist()
    for window in WINDOWS:
        lengths = windows[window, "stop"] - windows[window, "start"]
        assert (windows[window, "counts"].sum(axis=1) == lengths).all()
    assert np.array_equal(windows[0, "start"], FIELDS["sentences"][sentence])


def test_a_smaller_training_set_is_the_same_for_all_windows() -> None:
    few = released(train_sentences=9)
    sentence = np.searchsorted(FIELDS["sentences"], few[3, "start"], side="right") - 1
    assert len(sentence) == 9
    assert (FIELDS["split"][sentence] == 0).all()
    assert np.array_equal(few[0, "start"], FIELDS["sentences"][sentence])
    assert len(released(train_sentences=10_000)[1, "start"]) == (FIELDS["split"] == 0).sum()


def test_accuracies_are_shares_of_positions(scores: pd.DataFrame) -> None:
    """Counted token by token from one learner's predictions."""
    arrays = learned(ESTIMATORS)
    of_token = np.repeat(FIELDS["split"], np.diff(FIELDS["sentences"]))
    tags = arrays["treebank", "marginal_exact", 3, "tags"][2][FIELDS["tokens"]]
    row = scores.query("window == 3 and estimator == 'marginal_exact' and passes == 2 and trial == 0")
    for split, number in (("train", 0), ("test", 1)):
        expected = np.mean((tags == FIELDS["tags"])[of_token == number])
        assert row.loc[row["split"] == split, "accuracy"].item() == pytest.approx(expected, abs=1e-15)


def test_scores_have_the_columns_and_rows_that_were_asked_for(scores: pd.DataFrame) -> None:
    assert scores[score.CONTRACT].notna().all().all()
    trained = scores[scores["estimator"] != "most_frequent"]
    sizes = trained.groupby(["window", "estimator", "trial", "split"]).size()
    assert (sizes == 3).all()
    assert len(sizes) == (3 + 1 + 1 + 1 + 1 + 2 + 2 + 1 + 3) * 2 * 2
    assert (scores.loc[scores["estimator"].str.startswith("m"), "accuracy"] > 0).all()


def test_only_moments_have_a_first_step(scores: pd.DataFrame) -> None:
    moments = scores["estimator"].str.startswith("moments")
    assert (scores.loc[moments, "step1_passes"] > 0).all()
    assert (scores.loc[~moments, "step1_passes"] == 0).all()


def test_a_sweep_takes_as_many_passes_of_either_step(scores: pd.DataFrame) -> None:
    sweeps = scores[scores["estimator"].isin(["moments_sgd", "moments_sgd_mean_all"])]
    assert (sweeps["step1_passes"] == sweeps["passes"]).all()
    stochastic = scores["estimator"].str.startswith("moments_sgd")
    assert (scores.loc[stochastic, "step1_gap"] > 0).all()
    assert not scores.loc[~stochastic & (scores["estimator"] != "most_frequent"), "step1_gap"].any()


def test_one_after_the_other_is_the_librarys_tagger(scores: pd.DataFrame) -> None:
    tags = learned({"moments_sgd_two_all": (3,)})["treebank", "moments_sgd_two_all", 3, "tags"]
    windows = learn.windows_of(under(released(), 3), FIELDS)
    how: dict[str, Any] = {"step1": "sgd_first", "span": "all", "step1_tolerance": 0.01, "step1_passes": 60}
    tagger = Tagger("moments", passes=2.0, n_tags=6, random_state=learn.window_order(trial("learn"), 3), **how)
    tagger.fit(windows, released()[3, "counts"])
    assert np.array_equal(tagger.predict(FIELDS["words"].tolist()), tags[-1])
    rows = scores.query("estimator == 'moments_sgd_two_all' and trial == 0")
    assert set(rows["step1_passes"]) == {tagger.step1_passes_}
    assert set(rows["step1_gap"]) == {tagger.step1_gap_}


def test_deviations_are_those_of_sentences_drawn_anew(scores: pd.DataFrame) -> None:
    """By a bootstrap over the test sentences, token by token."""
    arrays = learned(ESTIMATORS)
    inside = FIELDS["split"] == 1
    lengths = np.diff(FIELDS["sentences"])
    of_sentence = np.repeat(np.arange(len(lengths)), lengths)

    def right(estimator: str) -> Array:
        tags = arrays["treebank", estimator, 1, "tags"][2][FIELDS["tokens"]]
        return np.asarray(np.bincount(of_sentence, weights=tags == FIELDS["tags"])[inside])

    draws = np.random.default_rng(0).integers(0, inside.sum(), (20_000, inside.sum()))
    whole = lengths[inside][draws].sum(axis=1)
    row = scores.query("window == 1 and estimator == 'moments' and passes == 2 and trial == 0 and split == 'test'")
    for column, sums in (
        ("accuracy_sd", right("moments")),
        ("lead_beam_sd", right("moments") - right("marginal_beam")),
    ):
        spread = np.std(sums[draws].sum(axis=1) / whole)
        assert row[column].item() == pytest.approx(spread, rel=0.1)


def test_one_token_windows_make_the_likelihood_supervised(scores: pd.DataFrame) -> None:
    one = scores[(scores["window"] == 1) & scores["estimator"].isin(["marginal_exact", "supervised"])]
    pairs = one.pivot_table(index=["trial", "passes", "split"], columns="estimator", values="accuracy")
    assert (pairs["marginal_exact"] == pairs["supervised"]).all()


def test_the_floor_is_the_share_of_the_commonest_tag(scores: pd.DataFrame) -> None:
    of_token = np.repeat(FIELDS["split"], np.diff(FIELDS["sentences"]))
    train, test = FIELDS["tags"][of_token == 0], FIELDS["tags"][of_token == 1]
    commonest = np.bincount(train).argmax()
    floor = scores.query("estimator == 'most_frequent' and window == 0 and split == 'test'")
    assert (floor["passes"] == 0).all()
    assert floor["accuracy"].to_numpy() == pytest.approx(np.mean(test == commonest))


def test_trials_differ_and_repeat(scores: pd.DataFrame) -> None:
    tags = ("treebank", "moments", 3, "tags")
    again = learned({"moments": (3,)})[tags]
    assert np.array_equal(again, learned(ESTIMATORS)[tags])
    assert not np.array_equal(again, learned({"moments": (3,)}, 1)[tags])
    assert scores["trial"].nunique() == 2


def test_seconds_stand_apart_from_what_was_learned() -> None:
    names = learned({"moments": (3,), "most_frequent": (3,)}).keys()
    assert [name for name in names if "seconds" in name] == [("seconds", "moments", 3)]


def test_it_draws_the_papers_windows_and_beside_it_the_others() -> None:
    shown = {"moments_all": None, "moments_sgd_all": None, "marginal_beam": None, "most_frequent": None}
    scores = score.score({"treebank": [learned(shown, number) for number in (0, 1)]}, {"treebank": FIELDS})
    as_panels = scores.replace({"window": {1: 2, 3: 10}})
    titles = [axis.get_title(loc="left") for axis in drawn("linear_moments.fig7", as_panels).axes]
    assert titles == ["(a) w = 2", "(b) sentence"]
    both = pd.concat([scores, as_panels.assign(corpus="ewt"), as_panels])
    more = drawn("linear_moments.fig7", both, "draw_more").axes
    assert [axis.get_title(loc="left") for axis in more[2:]] == [f"({a}) Lead of moments, {b}" for a, b in CORPORA]


@pytest.mark.parametrize("estimator", ["moments", "moments_features", "moments_sgd", "moments_sgd_two"])
def test_what_estimators_share_is_what_each_alone_would_have(estimator: str) -> None:
    """Both spans together, the window and the sentence, against one at a time; whole sentences are both."""
    over = f"{estimator}_all"
    together = learned({estimator: WINDOWS, over: WINDOWS})
    alone = {**learned({estimator: WINDOWS}), **learned({over: WINDOWS})}
    assert set(together) == set(alone)
    for name in (name for name in alone if name[0] != "seconds"):
        assert np.array_equal(together[name], alone[name]), name
    one, other = (together["treebank", name, 0, "tags"] for name in (estimator, over))
    assert np.array_equal(one, other)
