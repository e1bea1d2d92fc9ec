"""The crossover: one veil, many estimators, where they must agree, and that each is tuned on what was released."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import check_grad, minimize
from scipy.special import expit

from checks import assert_mean
from replication.arrays import Fields, Named, under
from replication.common.margin_losses import LOSSES as TABLE
from replication.common.ridge_paths import fit_tuned
from replication.common.tuning import Tuning
from replication.data.scaling import unit_rows
from replication.papers.crossover.epsilon.release import flip_probability
from replication.papers.crossover.phase import draw as phase_draw
from replication.papers.crossover.phase.score import QUESTIONS, compare_pairs
from stages import drawn, run, scored
from unveil.errors import UnveilError
from unveil.estimators.spread.labels import SampledLabels
from unveil.estimators.statistics.classifier import MeanOperatorClassifier
from unveil.estimators.statistics.risk import Design
from unveil.mechanisms.flips import LabelFlips
from unveil.types import Array, Floats

DATASET = "breast_cancer"
SETTINGS: dict[str, Any] = {
    "datasets": [DATASET], "classifiers": ["marginal", "moment", "mean_operator", "spread", "naive"],
    "epsilons": [2.0, np.inf], "sizes": [250, 1000], "test": 150,
    "samples": 5, "l2s": [1e-3, 1e-2, 1e-1], "folds": 3, "tolerance": 1e-5,
}  # fmt: skip
CLEAN = {**SETTINGS, "classifiers": ["clean"], "sizes": [50, 250, 1000]}
LOSSES = {name: make(10) for name, make in TABLE.items()}


def tuning(*l2s: float, tolerance: float = 1e-6, folds: int = 3) -> Tuning:
    return Tuning(l2s=l2s, folds=folds, samples=10, tolerance=tolerance)


def field(n: int = 600, seed: int = 0) -> Fields:
    """Records whose label leans on two of three features."""
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((n, 3))
    labels = rng.random(n) < expit(4 * features[:, 0] - 3 * features[:, 1] - 0.5)
    return {DATASET: {"unit_features": unit_rows(features), "labels": labels.astype(np.uint8)}}


def seen(p_flip: float, n: int = 4000) -> tuple[Floats, Array, Array]:
    """Unit records, their labels, and these reported once through the flips, (1, n) as ±1."""
    rng = np.random.default_rng(2)
    features = unit_rows(rng.standard_normal((n, 3)))
    labels = (rng.random(n) < expit(6 * features[:, 0])).astype(np.uint8)
    return features, labels, 2 * LabelFlips(p_flip).release(labels, rng).astype(np.int8)[None] - 1


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_the_flips_are_worth_their_epsilon(epsilon: float) -> None:
    assert LabelFlips(flip_probability(epsilon)).epsilon == pytest.approx(epsilon)


def test_no_privacy_flips_nothing_and_less_than_none_is_refused() -> None:
    assert flip_probability(np.inf) == 0
    with pytest.raises(UnveilError, match="epsilon must be positive"):
        flip_probability(0.0)


def test_the_owner_lets_out_flipped_labels_and_no_others() -> None:
    fields = field(2000)
    labels = fields[DATASET]["labels"]
    asked = {"epsilons": [1.0, np.inf], "sizes": [300, 1200], "test": 300}
    found = under(run("crossover.size", "release", "labels", 0, [fields], {**SETTINGS, **asked}), DATASET)
    train = found["train"]
    assert set(found) == {"train", ("veiled", 0), ("veiled", 1), "test"}
    assert len(train) == 1200
    assert not set(train) & set(found["test"])
    flipped, clean = found["veiled", 0], found["veiled", 1]
    assert np.array_equal(clean, labels[train])
    assert_mean((flipped != clean).astype(float), flip_probability(1.0))


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("p", [0.0, 0.3])
def test_slopes_are_derivatives(name: str, p: float) -> None:
    flips = np.array([p])
    for u in (-3.0, -0.2, 0.0, 1.5):
        off = check_grad(
            lambda z: float(LOSSES[name].of(z[:, None], flips)[0].item()),
            lambda z: LOSSES[name].of(z[:, None], flips)[1].ravel(),
            [u],
        )
        assert off < 1e-6


@pytest.mark.parametrize("name", ["mean_operator", "moment"])
def test_debiased_losses_are_those_of_the_true_label_on_average(name: str) -> None:
    """E over the flip: (1 − p)·φ(z) + p·φ(−z) is the loss at the true margin z."""
    z, p = np.linspace(-4, 4, 9)[:, None], 0.3
    flips = np.array([p])
    mean = (1 - p) * LOSSES[name].of(z, flips)[0] + p * LOSSES[name].of(-z, flips)[0]
    truth = np.log1p(np.exp(-z)) if name == "mean_operator" else (1 - z) ** 2
    assert_allclose(mean, truth, atol=1e-12)


def test_the_spread_loss_is_where_sampled_labels_pull_on_average() -> None:
    """Against the paper's weights and pulls, (59) and (60), with labels sampled for very many copies of a record."""
    rng, z, p, samples, copies = np.random.default_rng(0), 0.8, 0.3, 4, 200_000
    flips = LabelFlips(p)
    pulls, _ = SampledLabels(np.ones(copies, dtype=int), flips.matrix)(np.full((samples, copies), z), rng)
    assert_mean(pulls.sum(axis=0), -float(TABLE["spread"](samples).of(np.array([[z]]), np.array([p]))[1].item()))


def test_with_many_samples_spread_is_marginal() -> None:
    z, flips = np.linspace(-3, 3, 7)[:, None], np.array([0.3])
    gaps = [np.abs(TABLE["spread"](s).of(z, flips)[1] - LOSSES["marginal"].of(z, flips)[1]).max() for s in (5, 500)]
    assert gaps[1] < 0.02 < gaps[0]


@pytest.mark.parametrize("name", LOSSES)
def test_each_fit_minimises_its_own_loss(name: str) -> None:
    """Against scipy in double precision."""
    features, _, reported = seen(0.2, 500)
    flips, l2 = np.array([0.2]), 0.01

    def risk(theta: Floats) -> float:
        value, _ = LOSSES[name].of((features @ theta * reported[0])[:, None], flips)
        return float(value.mean() + l2 * theta @ theta)

    expected = minimize(risk, np.zeros(4), method="BFGS", options={"gtol": 1e-7}).x
    assert_allclose(
        fit_tuned(Design(features), reported, flips, LOSSES[name], tuning(l2)).theta[0], expected, rtol=2e-3, atol=2e-4
    )


def test_moments_are_the_mean_operator_of_the_square_loss() -> None:
    features, _, reported = seen(0.2)
    mu = reported[0] / 0.6 @ features / len(features)
    expected = MeanOperatorClassifier("square", l2=1e-3).fit_statistic(features, mu).coef_[0]
    found = fit_tuned(Design(features), reported, np.array([0.2]), LOSSES["moment"], tuning(1e-3)).theta[0]
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("name", LOSSES)
def test_the_chosen_penalty_is_the_one_that_folds_would_choose(name: str) -> None:
    """By refitting each fold on its own, in a loop."""
    features, _, reported = seen(0.3, 300)
    flips, grid, folds = np.array([0.3]), (1e-3, 1e-1, 10.0), 3
    fit = fit_tuned(Design(features), reported, flips, LOSSES[name], tuning(*grid))
    for j, l2 in enumerate(grid):
        if not np.isfinite(fit.held_out[0, j]):
            continue
        total = 0.0
        for fold in range(folds):
            out = np.arange(300) % folds == fold
            own = fit_tuned(Design(features[~out]), reported[:, ~out], flips, LOSSES[name], tuning(l2)).theta[0]
            total += LOSSES[name].of((features[out] @ own * reported[0, out])[:, None], flips)[0].sum()
        assert fit.held_out[0, j] == pytest.approx(total / 300, rel=2e-3)
    assert fit.l2[0] == grid[int(np.argmin(fit.held_out[0]))]


def test_a_veils_choice_does_not_hang_on_the_veils_beside_it() -> None:
    features, labels, reported = seen(0.3, 400)
    both = np.vstack([reported, 2 * labels.astype(np.int8)[None] - 1])
    grid = tuning(1e-4, 1e-3, 1e-2, 1e-1, 1.0)
    together = fit_tuned(Design(features), both, np.array([0.3, 0.0]), LOSSES["marginal"], grid)
    alone = fit_tuned(Design(features), reported, np.array([0.3]), LOSSES["marginal"], grid)
    assert together.l2[0] == alone.l2[0]
    assert_allclose(together.theta[0], alone.theta[0], rtol=1e-3, atol=1e-4)


def learned(fields: Fields, number: int, figure: str = "size", values: Any = SETTINGS, arm: str = "linear") -> Named:
    veiled = run(f"crossover.{figure}", "release", "labels", number, [fields], {**values, "sizes": SETTINGS["sizes"]})
    public = {DATASET: dict(fields[DATASET])}
    if arm != "clean":
        del public[DATASET]["labels"]
    return run(f"crossover.{figure}", "learn", arm, number, [{"labels": veiled}, public], values)


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    fields = field()
    arms = {"linear": SETTINGS, "clean": CLEAN}
    found = {arm: [learned(fields, n, values=values, arm=arm) for n in range(2)] for arm, values in arms.items()}
    return scored("crossover.size", 2, SETTINGS, found, fields)


def test_scores_have_every_cell_once(scores: pd.DataFrame) -> None:
    keys = ["estimator", "epsilon", "n", "trial"]
    assert not scores.duplicated(keys).any()
    # 420 records are left to train on, where 1,000 were asked for.
    own = scores[scores["estimator"] != "clean"]
    assert sorted(own["n"].unique()) == [250, 420]
    assert len(own) == 2 * 2 * 2 * 5
    assert scores["error"].between(0, 1).all()
    assert set(own["l2"]) <= set(SETTINGS["l2s"])


def test_reports_are_the_truth_where_nothing_is_flipped(scores: pd.DataFrame) -> None:
    part = scores[np.isinf(scores["epsilon"]) & (scores["n"] == 420)]
    means = part.groupby("estimator")["error"].mean()
    assert means["naive"] == pytest.approx(means["clean"])


def test_without_a_veil_all_do_better_than_guessing(scores: pd.DataFrame) -> None:
    clear = scores[np.isinf(scores["epsilon"]) & (scores["n"] == 420)]
    assert (clear["error"] < clear["base_rate"]).all()


def test_every_estimator_can_be_chosen() -> None:
    assert {name for names in QUESTIONS.values() for name in names} <= set(LOSSES)


@pytest.mark.parametrize("figure", ["epsilon", "size"])
def test_the_drawings_have_a_panel_a_data_set(scores: pd.DataFrame, figure: str) -> None:
    assert len(drawn(f"crossover.{figure}", scores).axes) == 1


def errors_of(lead: float, trials: int = 10) -> dict[str, list[Named]]:
    """Separators of which the marginal's is right more often, by `lead`, on records that spell out who errs."""
    found: list[Named] = []
    for _ in range(trials):
        arrays: dict[Any, Any] = {
            (DATASET, "sizes"): np.array([10]), (DATASET, "epsilons"): np.array([1.0]),
            (DATASET, "test"): np.arange(100),
        }  # fmt: skip
        for j, name in enumerate(QUESTIONS["best"]):
            arrays[DATASET, name, "theta", 0] = np.eye(5)[[1 + j]]
            arrays[DATASET, name, "l2", 0] = np.ones(1)
        found.append(arrays)
    return {"linear": found}


@pytest.mark.parametrize("lead", [0, 20])
def test_a_winner_is_shown_only_where_there_is_one(lead: int) -> None:
    rng = np.random.default_rng(0)
    truth = rng.choice([-1.0, 1.0], 100)
    rows = np.column_stack([truth, *[truth * np.where(np.arange(100) < 40, -1, 1) for _ in range(4)]])
    rows[40 - lead : 40, 1] *= -1  # the first, the marginal, errs less
    fields = {DATASET: {"unit_features": rows, "labels": (truth > 0).astype(np.uint8)}}
    scores = scored("crossover.phase", 10, SETTINGS, errors_of(lead), fields)
    assert set(scores["question"]) == set(QUESTIONS)
    assert set(scores["winner"]) == ({"marginal"} if lead else {""})
    assert scores["margin"].to_numpy() == pytest.approx(lead / 100)
    shown = phase_draw.table(scores)
    assert len(shown) == (len(QUESTIONS) if lead else 0) + 1
    assert shown["winner"].iloc[-1] == f"none shown in {0 if lead else len(QUESTIONS)} of {len(QUESTIONS)}"


def test_simultaneous_intervals_cover_together() -> None:
    """Ten equal pairs: some interval misses zero in at most a twentieth of the experiments."""
    rng = np.random.default_rng(1)
    missed = 0
    for _ in range(2000):
        found = [compare_pairs(rng.standard_normal(8), 10) for _ in range(10)]
        missed += any(low > 0 or high < 0 for _, low, high in found)
    # 1,000 of 20,000 expected at most 0.05; binomial, false alarm 1e-6.
    assert missed <= 100 + 5 * np.sqrt(100)
