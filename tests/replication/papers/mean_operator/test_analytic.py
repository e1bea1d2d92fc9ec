"""Table 1, figure 1 and the bounds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from replication.palette import METHODS
from replication.papers.mean_operator.bounds import draw as bounds_draw
from replication.papers.mean_operator.bounds.score import quantile
from replication.papers.mean_operator.operator_noise import combination_tail
from stages import drawn, module, scored
from unveil.errors import UnveilError
from unveil.estimators.statistics.losses import LOSSES


@pytest.fixture(scope="module")
def table_1() -> pd.DataFrame:
    return scored("mean_operator.table1", 1, dict(reach=20.0, points=801, rho=1.5, mixture_weight=0.5))


def test_table_1_is_right_as_printed(table_1: pd.DataFrame) -> None:
    table = table_1.set_index("loss")
    even = ["absolute", "linear", "logistic", "square", "matsushita", "modified_huber", "cauchy", "proper_mixture"]
    assert table.index[table["holds"]].tolist() == even
    assert_allclose(table["a"].iloc[:7], [3, 2, 1, 4, 2, 4, 2])
    assert (table.loc[table["holds"], "even_residual"] < 1e-12).all()
    assert (table.loc[~table["holds"], "max_residual"] > 0.5).all()
    shown = module("mean_operator.table1", "draw").table(table_1)
    assert_allclose(table.loc["absolute":"matsushita", "printed_a"], [3, 2, 1, 4, 2])
    assert len(shown) == len(table_1) + 1
    assert shown["a"].notna().sum() == 8
    paper = shown.iloc[1:7]
    assert paper["as a number"].tolist() == paper["odd, computed"].tolist()
    assert paper["odd, printed"].str.len().min() > 0
    drawn("mean_operator.table1", table_1)


def test_table_1_on_a_sample_tells_losses_with_the_statistic_from_those_without(table_1: pd.DataFrame) -> None:
    table = table_1.set_index("loss")
    exact = ["risk_gap", "terms_gap", "same_mu_gap"]
    assert (table.loc[table["holds"], exact] < 1e-12).all().all()
    assert (table.loc[~table["holds"], exact] > 1e-3).all().all()
    assert (table["other_mu_gap"] > 1e-3).all()
    assert table["likelihood_gap"].notna().sum() == 1
    assert table.loc["logistic", "likelihood_gap"] < 1e-12


def test_figure_1_adds_up_and_agrees_with_the_library() -> None:
    scores = scored("mean_operator.fig1", 1, dict(losses=[*LOSSES, "hinge"], reach=3.0, points=61))
    assert_allclose(scores["even"] + scores["odd"], scores["value"], atol=1e-14)
    for name, loss in LOSSES.items():
        part = scores[scores["loss"] == name]
        x = part["x"].to_numpy()
        assert_allclose(part["even"], loss.even(x), atol=1e-13)
        assert_allclose(part["odd"], -loss.a / 2 * x, atol=1e-13)
    assert len(drawn("mean_operator.fig1", scores).axes) == 6
    with pytest.raises(UnveilError, match="unknown choice 'zero_one'"):
        scored("mean_operator.fig1", 1, dict(losses=["zero_one"], reach=3.0, points=61))


@pytest.fixture(scope="module")
def bound_scores() -> pd.DataFrame:
    settings = {"m": 100, "alpha": 1.0, "l2": 0.1, "deltas": [0.05], "radius": 2.0, "draws": 20_000}
    losses = ["logistic", "square", "linear"]
    return scored("mean_operator.bounds", 3, dict(dimensions=[1, 2, 20], losses=losses, **settings))


def test_theorem_6_in_the_figure(bound_scores: pd.DataFrame) -> None:
    shifts = bound_scores[bound_scores["theorem"] == 6]
    wide = shifts.pivot_table(index=["loss", "d", "trial"], columns="quantity", values="value")
    assert (wide["measured"] <= wide["corrected"] * (1 + 1e-6)).all()
    assert (wide.loc["steep_linear", "measured"] > wide.loc["steep_linear", "stated"]).all()
    assert (wide.drop("steep_linear")["measured"] <= wide.drop("steep_linear")["stated"] * (1 + 1e-6)).all()


def test_theorem_10_in_the_figure(bound_scores: pd.DataFrame) -> None:
    part = bound_scores[bound_scores["theorem"] == 10]
    assert part["trial"].isna().all()
    table = part.pivot_table(index="d", columns="quantity", values="value")
    assert table.loc[1, "failure_uniform"] == pytest.approx(0.05, abs=0.01)
    assert (table.loc[[2, 20], "failure_uniform"] > 0.055).all()
    assert (table["failure_corrected"] <= 0.055).all()
    assert (table[["failure_axis", "failure_diagonal"]] <= 0.05 + 1e-9).all().all()
    assert_allclose(table["failure_axis"], 0.05 / table.index.to_numpy(), rtol=1e-6)
    assert (table["measured_diagonal"] <= table["corrected_fixed"]).all()
    assert (table["measured_axis"] <= table["corrected_fixed"]).all()
    assert np.isclose(table.loc[20, "corrected"] / table.loc[20, "stated"], np.sqrt(20))
    assert (table["failure_fixed"] <= 0.05 + 1e-9).all()
    assert (table["failure_fixed"] >= table[["failure_axis", "failure_diagonal"]].max(axis=1) - 1e-9).all()
    # Three losses of theorem 6, and three panels of theorem 10.
    assert len(drawn("mean_operator.bounds", bound_scores).axes) == 3 + 3
    failures = {**bounds_draw.FIXED, **bounds_draw.UNIFORM}
    shown = {*bounds_draw.SHIFTS, *bounds_draw.SIZES, *failures}
    assert shown <= set(bound_scores.loc[bound_scores["theorem"].isin([6, 10]), "quantity"])
    assert shown - set(failures) | set(failures.values()) <= set(METHODS)


@pytest.mark.parametrize("delta", [0.01, 0.3])
@pytest.mark.parametrize("d", [1, 2, 50])
def test_the_measured_quantile_leaves_its_share_beyond(d: int, delta: float) -> None:
    diagonal = np.full(d, d**-0.5)
    found = quantile(diagonal, delta)
    assert_allclose(combination_tail(diagonal, found), delta, rtol=1e-9)
    assert_allclose(quantile(np.eye(d)[0], delta), -np.log(delta), rtol=1e-11)  # one Laplace variable


def test_algorithm_2_in_the_scores(bound_scores: pd.DataFrame) -> None:
    """Its level follows the 1-norm, its noise has no bias, and a length that is d on average at d = 1 only."""
    part = bound_scores[bound_scores["theorem"] == 9]
    table = part.pivot_table(index="d", columns="quantity", values="value")
    assert_allclose(table["level_norm_1"], 1.0)
    assert_allclose(table["level_norm_2"], np.sqrt(table.index.to_numpy(dtype=float)))
    # Twenty parts of a thousand draws with variance two: six standard errors.
    assert (table["bias"].abs() < 6 * np.sqrt(2 / 20_000)).all()
    assert table.loc[1, "noise_length"] == pytest.approx(1, abs=6 / np.sqrt(20_000))
    assert table.loc[20, "noise_length"] < 10


def test_algorithm_3_finds_the_model_of_objective_perturbation(bound_scores: pd.DataFrame) -> None:
    gaps = bound_scores[bound_scores["quantity"] == "model_gap"]
    assert set(gaps["loss"]) == {"logistic", "square", "linear"}
    assert (gaps["value"] < 1e-6).all()
