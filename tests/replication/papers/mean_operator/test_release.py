"""The release figure: what leaves the owner, what the learner makes of it, and what the referee says."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.metrics import accuracy_score, roc_auc_score

from mean_operator_world import DATASETS, fields, public, walk
from project import ROOT
from replication.arrays import Named
from replication.common.tasks import signs, training
from replication.palette import METHODS
from replication.papers.mean_operator.release import draw
from replication.papers.mean_operator.release.draw_tuning import SHOWN
from replication.papers.mean_operator.release.score import TRUE_LEVELS, _measures
from replication.papers.mean_operator.rules import RULES
from replication.papers.mean_operator.scoring import held_out
from replication.randomness import Trial
from stages import drawn, run
from unveil.estimators.statistics.classifier import MeanOperatorClassifier
from unveil.mechanisms.mean_operator import MeanOperatorRelease, mean_operator

GRID = {"alphas": [0.3, 30.0], "losses": ["logistic", "square", "matsushita"], "fixed": 0.01, "l2s": [1e-3, 0.1],
        "draws": 2, "tolerance": 1e-9}  # fmt: skip
ARMS: dict[str, dict[str, Any]] = {
    **{name: {**GRID, "dataset": name, "sizes": []} for name in DATASETS},
    "census_sizes": {**GRID, "losses": ["logistic"], "dataset": "census", "sizes": [50, 400]},
}
TRIALS = 2


@pytest.fixture(scope="module")
def walked() -> tuple[dict[str, list[Named]], pd.DataFrame]:
    return walk("release", ARMS, TRIALS)


@pytest.fixture(scope="module")
def scores(walked: tuple[dict[str, list[Named]], pd.DataFrame]) -> pd.DataFrame:
    return walked[1]


def parted(dataset: Any, number: int = 0) -> tuple[Any, Any, Any, Any]:
    trial = Trial(1, "mean_operator", "release", "score", "score", number)
    X, rows = training(dataset, fields(), trial)
    test, truth, _ = held_out(dataset, fields(), trial)
    return X, signs(dataset, fields())[rows], test, truth


def test_the_mechanisms_are_those_of_the_drawing(scores: pd.DataFrame) -> None:
    assert set(scores["mechanism"]) == set(TRUE_LEVELS) <= set(METHODS)
    assert set(scores["trial"]) == {0, 1}
    assert scores.drop(columns=["statistic_error", "predicted_crossover"]).notna().all().all()


def test_every_cell_is_there_once(scores: pd.DataFrame) -> None:
    keys = ["panel", "dataset", "mechanism", "loss", "alpha", "rule", "m", "trial"]
    assert not scores.duplicated(keys).any()
    counts = scores[scores["panel"] == "alpha"].groupby(["dataset", "loss"]).size()
    # Six mechanisms at two α and the ceiling by three rules, two trials; an output leaves nothing to choose, and square
    # has no objective perturbation.
    assert (counts.xs("logistic", level="loss") == 2 * (5 * 2 * 3 + 2 * 2 + 3)).all()
    assert (counts.xs("square", level="loss") == 2 * (4 * 2 * 3 + 2 * 2 + 3)).all()


@pytest.mark.parametrize("dataset", DATASETS)
def test_the_ceiling_is_a_classifier_learnt_from_labels(scores: pd.DataFrame, dataset: str) -> None:
    X, y, held_out, truth = parted(dataset)
    for loss in GRID["losses"]:  # type: ignore[attr-defined]
        fitted = MeanOperatorClassifier(loss, l2=0.01, fit_intercept=False).fit(X, y)
        row = scores.query(
            "dataset == @dataset and mechanism == 'none' and loss == @loss and trial == 0 and panel == 'alpha' "
            "and rule == 'fixed'"
        )
        assert row["accuracy"].item() == pytest.approx(accuracy_score(truth, fitted.predict(held_out)), abs=1e-12)
        assert row["auc"].item() == pytest.approx(roc_auc_score(truth, fitted.decision_function(held_out)), abs=1e-6)
        assert row["m"].item() == len(X)
        assert row["alpha"].item() == row["true_alpha"].item() == inf


def test_true_levels_match_the_mechanisms(scores: pd.DataFrame) -> None:
    X, _, _, _ = parted("census")
    rows = scores.query(
        "dataset == 'census' and panel == 'alpha' and trial == 0 and loss == 'logistic' and alpha == 0.3 "
        "and rule == 'fixed'"
    )
    levels = rows.set_index("mechanism")["true_alpha"]
    assert levels["printed"] == pytest.approx(MeanOperatorRelease(0.3, "printed").tight_epsilon(X))
    assert levels["gamma"] == pytest.approx(MeanOperatorRelease(0.3, "gamma").tight_epsilon(X))
    widest = float(np.abs(X).sum(axis=1).max())
    assert levels["laplace"] == pytest.approx(MeanOperatorRelease(0.3, "laplace", l1_bound=widest).tight_epsilon(X))
    assert levels["randomized_response"] == levels["output"] == 0.3
    assert 0 < levels["objective"] < 0.15 + 1e-12
    assert levels["printed"] > 0.3


def test_weak_privacy_reaches_the_ceiling_and_strong_privacy_hurts(scores: pd.DataFrame) -> None:
    part = scores.query("panel == 'alpha' and loss == 'logistic' and dataset == 'mnist' and rule == 'released'")
    means = part.groupby(["mechanism", "alpha"])["auc"].mean()
    for mechanism in ("printed", "laplace", "gamma", "randomized_response", "objective"):
        assert means[mechanism, 30.0] > means["none", inf] - 0.05
        assert means[mechanism, 30.0] >= means[mechanism, 0.3] - 0.02


def test_the_sweep_takes_the_first_records_of_one_order(walked: tuple[dict[str, list[Named]], pd.DataFrame]) -> None:
    learned, scores = walked
    X, y, _, _ = parted("census", 1)
    order = Trial(1, "mean_operator", "release", "score", "score", 1).public.permutation(len(X))
    exact = learned["census_sizes"][1]["statistic", "none"]
    for index, m in enumerate((50, 400)):
        assert_allclose(exact[index, 0], mean_operator(X[order[:m]], y[order[:m]]), atol=1e-12)
    sweep = scores[scores["panel"] == "m"]
    assert set(sweep["m"]) == {50, 400}
    assert sweep.loc[sweep["mechanism"] == "none", "statistic_error"].eq(0).all()
    assert (sweep.loc[sweep["mechanism"] == "gamma", "predicted_crossover"] > 0).all()


def test_the_learner_does_without_labels() -> None:
    """The very fields that the configuration gives it, and none of the others."""
    declared = yaml.safe_load((ROOT / "config/mean_operator.yaml").read_text(encoding="utf-8"))
    given = {dataset: list(names) for dataset, names in public().items()}
    assert given == declared["papers"]["mean_operator"]["public"]
    assert not [name for names in public().values() for name in names if "labels" in name]


def test_released_labels_are_flipped_and_padded() -> None:
    released = run("mean_operator.release", "release", "census_sizes", 0, [fields()], ARMS["census_sizes"])
    flipped = released["flipped"]
    assert flipped.shape == (2, 2, 600)
    assert set(np.unique(flipped[0, 0, :50])) == {-1, 1}
    assert not flipped[0, :, 50:].any()
    assert not any("label" in str(name) for name in released)


def test_the_same_release_leads_to_the_same_choice_in_any_order() -> None:
    """A trial's choice hangs on its release alone, not on the trials that its job ran before."""
    arm = {**ARMS["mnist"], "losses": ["logistic"]}
    files = [run("mean_operator.release", "release", "mnist", number, [fields()], arm) for number in range(2)]
    orders = [
        {n: run("mean_operator.release", "learn", "mnist", n, [{"mnist": files[n]}, public()], arm) for n in order}
        for order in ((0, 1), (1, 0))
    ]
    for number in range(2):
        for name in ("laplace", "randomized_response", "none"):
            assert_allclose(orders[0][number]["l2", name], orders[1][number]["l2", name], rtol=0)


def test_chosen_penalties_are_of_the_grid_and_public_ones_of_the_formula(scores: pd.DataFrame) -> None:
    statistics = scores[~scores["mechanism"].isin(["output", "objective"])]
    assert set(statistics.query("rule == 'released'")["l2"]) <= {1e-3, 0.1}
    row = statistics.query("mechanism == 'gamma' and dataset == 'census' and loss == 'square' and alpha == 0.3").iloc[0]
    public_rule = statistics.query(
        "mechanism == 'gamma' and dataset == 'census' and loss == 'square' and alpha == 0.3 and rule == 'public'"
    )["l2"]
    m, d = int(row["m"]), parted("census")[0].shape[1]
    assert public_rule.to_numpy() == pytest.approx(np.sqrt(d + 1) * 2 / (m * 0.3) + 1 / m)


def test_figure_and_table_show_everything(scores: pd.DataFrame) -> None:
    assert len(drawn("mean_operator.release", scores).axes) == 3
    table = draw.table(scores)
    assert len(table) == 3 * (37 + 31 + 37)
    assert table["accuracy"].between(0, 1).all()
    assert set(SHOWN) <= set(RULES) == set(scores["rule"])


@pytest.mark.parametrize("members", [(1, 1), (1, 30), (200, 57)])
def test_areas_are_what_ranks_say_exactly(members: tuple[int, int]) -> None:
    """With ties within and between the classes, and a model that is missing."""
    rng = np.random.default_rng(7)
    truth = rng.permutation(np.repeat([1, -1], members))
    margins = rng.standard_normal((len(truth), 3))
    margins[:, 0], margins[0, 2] = rng.integers(-4, 5, len(truth)), np.nan
    ranks = stats.rankdata(margins[:, :2], axis=0)
    expected = (ranks[truth > 0].sum(axis=0) - members[0] * (members[0] + 1) / 2) / (members[0] * members[1])
    accuracy, area = _measures(margins, truth)
    assert np.array_equal(area[:2], expected)
    assert np.array_equal(accuracy[:2], ((margins[:, :2] > 0) == (truth[:, None] > 0)).mean(axis=0))
    assert np.isnan([accuracy[2], area[2]]).all()
