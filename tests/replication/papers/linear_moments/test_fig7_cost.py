"""Work, counted against plain enumerations of what inference visits."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

from replication.arrays import Named
from replication.papers.linear_moments.fig7.settings import Learn
from replication.papers.linear_moments.fig7_cost import draw_pass, learn, score
from replication.randomness import Trial
from stages import drawn
from tagging_fields import FIELDS, TRAINING, public, regions

ESTIMATORS: tuple[str, ...] = (
    "moments",
    "moments_features",
    "moments_sgd",
    "moments_sgd_two",
    "marginal_exact",
    "marginal_beam",
)


def trial(stage: str, number: int = 0) -> Trial:
    return Trial(7, "linear_moments", "fig7_cost", stage, "treebank", number)


def settings() -> Learn:
    return Learn(windows=(4,), estimators=dict.fromkeys(ESTIMATORS), optimizer="adagrad", rate=0.1, **TRAINING)


@pytest.fixture(scope="module")
def arrays() -> Named:
    return learn.learn(regions(trial("release"), 4), public(), trial("learn"), settings())


@pytest.fixture(scope="module")
def scores(arrays: Named) -> pd.DataFrame:
    return score.score({"treebank": [arrays]}, {"treebank": FIELDS})


@pytest.mark.parametrize("counts", [(2, 1), (3, 1, 1), (1, 1, 1, 1)])
def test_levels_are_those_of_all_prefixes_of_the_rearrangements(counts: tuple[int, ...]) -> None:
    w = sum(counts)
    prefixes: list[set[tuple[int, ...]]] = [
        {y for y in product(range(len(counts)), repeat=j) if (np.bincount(y, minlength=len(counts)) <= counts).all()}
        for j in range(1, w + 1)
    ]
    states = [{tuple(np.bincount(y, minlength=len(counts))) for y in level} for level in prefixes]
    assert learn.level_sizes(np.array(counts), prefixes=True).round(6).tolist() == [1, *map(len, prefixes)]
    assert learn.level_sizes(np.array(counts), prefixes=False).tolist() == [1, *map(len, states)]


def test_levels_of_a_long_sentence_are_numbers() -> None:
    sizes = learn.level_sizes(np.array([90, 60, 50, 30, 20]), prefixes=True)
    assert np.isfinite(sizes).all()
    assert sizes[[0, 1, 2]].tolist() == [1, 5, 25]
    assert (sizes[20:] > 1e10).all()


def test_inference_costs_what_it_visits() -> None:
    counts = np.array([[2, 1, 0], [1, 1, 1]])
    exact = learn.inference_work("exact", counts, 2, 10)
    # Transitions of the grids 3 × 2 and 2 × 2 × 2, forward and backward.
    assert exact.tolist() == pytest.approx([2 * 7, 2 * 12])
    # Levels 1, 2, 2 and 1, 2, 2 under a beam of two; two and three tags.
    assert learn.inference_work("beam", counts, 2, 10).tolist() == [5 * 2 + 5, 5 * 3 + 5]
    assert learn.inference_work("auto", counts, 2, 6).tolist() == pytest.approx([14, 5 * 3 * 2])


def test_work_grows_with_passes_and_step_1_comes_first(arrays: Named) -> None:
    for name in ESTIMATORS:
        done = arrays["treebank", name, 4, "work"]
        passes = arrays["treebank", name, 4, "passes"]
        assert done.shape == passes.shape
        if name in ("marginal_exact", "marginal_beam", "moments_sgd"):
            assert done / passes == pytest.approx(done[0] / passes[0])
    ahead = arrays["treebank", "moments", 4, "work"]
    per_pass = np.diff(ahead) / np.diff(arrays["treebank", "moments", 4, "passes"])
    assert ahead[0] > 0.25 * per_pass[0]
    tokens = np.sum(
        regions(trial("release"), 4)["treebank"][4, "stop"] - regions(trial("release"), 4)["treebank"][4, "start"]
    )
    assert per_pass[0] == pytest.approx(2 * 8 * 6 * tokens)


def test_scores_and_picture(scores: pd.DataFrame) -> None:
    assert len(scores) == 6 * 3
    axes = drawn("linear_moments.fig7_cost", scores).axes
    assert axes[0].get_title(loc="left") == "w = 4"


def test_a_pass_and_what_comes_before_it_are_told_apart(arrays: Named, scores: pd.DataFrame) -> None:
    table = draw_pass.table(scores).set_index("estimator")
    settled = arrays["treebank", "moments", 4, "work"]
    each = np.diff(settled)[0] / np.diff(arrays["treebank", "moments", 4, "passes"])[0]
    before = settled[0] - each * arrays["treebank", "moments", 4, "passes"][0]
    assert table.loc["moments", "w = 4"] == f"{each / 1e6:,.3g}"
    assert table.loc["moments", "w = 4, step 1"] == f"{before / 1e6:,.3g}"
    assert table.loc["marginal, exact", "w = 4, step 1"] == "—"
