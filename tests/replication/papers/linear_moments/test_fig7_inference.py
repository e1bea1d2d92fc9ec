from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from replication.arrays import Named
from replication.papers.linear_moments.fig7_inference import draw, learn, score
from replication.papers.linear_moments.fig7_inference.settings import Inference, Learn
from replication.randomness import Trial
from tagging_fields import FIELDS, public, regions

WINDOWS = (1, 4, 8, 0)
TRAINED: dict[Inference, tuple[int, ...] | None] = {"exact": (1, 4, 8), "merged": (8, 0), "beam": (4, 8)}


def trial(stage: str) -> Trial:
    return Trial(7, "linear_moments", "fig7_inference", stage, "treebank", 0)


@pytest.fixture(scope="module")
def arrays() -> Named:
    settings = Learn(
        windows=WINDOWS, trained=TRAINED, evaluate_at=(0.0, 0.5, 1.0), optimizer="adagrad", rate=0.1, beam=24,
        probes=25, probe_states=1000,
    )  # fmt: skip
    return learn.learn(regions(trial("release"), *WINDOWS), public(), trial("learn"), settings)


@pytest.fixture(scope="module")
def scores(arrays: Named) -> pd.DataFrame:
    return score.score({"treebank": [arrays]}, {"treebank": FIELDS})


def test_scores_have_a_row_for_every_window_method_and_evaluation(scores: pd.DataFrame) -> None:
    methods = {"exact": [1, 4, 8], "beam": WINDOWS, "merged": WINDOWS}
    expected = {(window, method) for method, windows in methods.items() for window in windows}
    rows = scores.groupby(["window", "method"]).size()
    assert set(rows.index) == expected
    assert (rows == 3).all()


def test_beams_that_hold_every_prefix_are_at_no_distance(scores: pd.DataFrame) -> None:
    """4! = 24 prefixes at most for windows of four."""
    small = scores[scores["window"].isin([1, 4]) & (scores["method"] == "beam")]
    assert (small["total_variation"] < 1e-12).all()
    assert (scores.loc[scores["method"] == "exact", "total_variation"] == 0).all()


def test_the_plain_beam_is_farther_off_than_the_merged_one(scores: pd.DataFrame) -> None:
    at = scores[scores["window"] == 8].pivot_table(index="passes", columns="method", values="total_variation")
    assert (at["beam"] > 2 * at["merged"]).all()
    assert (at["beam"] <= 1).all()


def test_accuracies_stand_where_a_tagger_was_trained(scores: pd.DataFrame) -> None:
    trained = scores.groupby(["window", "method"])["accuracy"].count() > 0
    asked = {(window, method) for method, windows in TRAINED.items() for window in windows or ()}
    assert set(trained[trained].index) == asked


def test_count_states_are_products_over_the_tags(arrays: Named, scores: pd.DataFrame) -> None:
    counts = regions(trial("release"), *WINDOWS)["treebank"][8, "counts"]
    by_hand = [np.prod([n + 1 for n in row]) for row in counts.tolist()]
    row = scores[scores["window"] == 8].iloc[0]
    assert row["states_median"] == np.median(by_hand)
    assert row["states_max"] == max(by_hand)
    assert int(arrays["treebank", 0, "probed"]) == min(25, (arrays["treebank", 0, "states"] <= 1000).sum())


def test_it_draws_and_tabulates(scores: pd.DataFrame) -> None:
    assert len(draw.draw(scores).axes) == 4
    table = draw.table(scores)
    assert table["window"].tolist() == ["1", "4", "8", "sentence"]
    assert (np.diff(table["median states"][:3]) > 0).all()
