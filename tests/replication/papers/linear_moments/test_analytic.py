"""The figures without owner and learner: curves, simplices, traps and traces."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import stages
from replication.papers.linear_moments.fig3.settings import Counterexample
from replication.papers.linear_moments.fig3.settings import Score as Figure3
from replication.papers.linear_moments.fig4.draw import place
from replication.papers.linear_moments.fig4.score import equation_ends
from replication.papers.linear_moments.release_variances import flip_variance
from replication.papers.linear_moments.settings import Supervision
from replication.papers.linear_moments.theory.veils import nearest
from unveil.errors import UnveilError
from unveil.mechanisms.coordinate import CoordinateRelease
from unveil.mechanisms.per_value import PerValueRelease

SUPERVISION = ((1 / 3, 1 / 6, 1 / 4), (1 / 3, 1 / 6, 1 / 2), (1 / 3, 2 / 3, 1 / 4))
POINT = ["p1", "p2", "p3"]
WIDE, NARROW = (5.0, -1.0, 0.0), (2.0, 1.0, 0.0)


def told(share: float) -> Supervision:
    return tuple(tuple(share * (o == y) + (1 - share) / 3 for y in range(3)) for o in range(3))


#: Trials and settings.
SETTINGS: dict[str, tuple[int, dict[str, Any]]] = {
    "fig3": (1, {
        "signals": {"weak": [2.0, -0.1], "strong": [5.0, -1.0]}, "epsilons": [0.2, 0.6, 1.0],
        "replications": 2_000, "groups": 20, "sample_size": 10**10,
        "counterexample": {"statistics": [0.0, 1.0, 5.0], "theta": 2.0},
    }),
    "fig4": (1, {
        "model": {"statistics": WIDE, "supervision": SUPERVISION}, "theta": 0.3, "observations": 60,
        "theta_range": [-12.0, 12.0], "points": 101,
    }),
    "fig5": (0, {
        "model": {"statistics": NARROW, "supervision": SUPERVISION}, "theta_range": [-6.0, 6.0], "points": 121,
    }),
    "figA4": (0, {
        "dimensions": [10, 100, 1000], "densities": [0.01, 0.1, 0.3, 1.0], "fills": [0.3, 1.0], "sizes": [0.5, 1.0],
        "alphas": [0.1, 1.0, 10.0],
    }),
    "trap": (8, {
        "cases": {
            "figure_5": {"statistics": NARROW, "theta": -1.25, "actual": SUPERVISION},
            "misspecified": {"statistics": NARROW, "theta": 1.2, "actual": told(0.7), "believes": told(0.5)},
        },
        "theta_range": [-10.0, 10.0], "points": 101, "starts": 11, "em_steps": 1500, "sizes": [10**5, 10**7],
    }),
    "theory": (4, {
        "alphas": [1.0, 3.0], "epsilons": [0.1, 0.5, 1.0], "signals": {"weak": [2.0, -0.1], "strong": [5.0, -1.0]},
        "vanishing": 0.001, "supervision": SUPERVISION, "sizes": [100, 10_000],
    }),
}  # fmt: skip


@cache
def scores_of(figure: str) -> pd.DataFrame:
    return stages.scored(f"linear_moments.{figure}", *SETTINGS[figure])


@pytest.mark.parametrize(
    ("figure", "panels"),
    [
        ("fig3", 2),
        ("fig4", 1),
        ("fig5", 1),
        ("figA4", 4),
        ("theory", 1),
        pytest.param("trap", 2, marks=pytest.mark.slow),
    ],
)
def test_the_drawing_has_its_panels(figure: str, panels: int) -> None:
    """Of scores that went through a file, which has no empty texts."""
    axes = stages.drawn(f"linear_moments.{figure}", scores_of(figure).replace({"": np.nan})).axes
    assert len(axes) == panels
    if figure == "fig3":
        titles = ["(a) weak signal, θ = (2, −0.1)", "(b) strong signal, θ = (5, −1)"]
        assert [axis.get_title(loc="left") for axis in axes] == titles
    if figure == "fig5":
        assert len(axes[0].lines) == 5


def told_of(quantity: str) -> pd.Series:
    scores = scores_of("theory")
    own = scores[scores["quantity"] == quantity].set_index("case")
    return own["value"] - own["stated"]


def test_what_the_paper_proves_holds_by_enumeration() -> None:
    quantities = ["bias", "loss_coordinate", "loss_per_value", "lemma_1", "same_law", "equal_at_zero", "told", "copy"]
    quantities += ["population_estimate", "pseudo_inverse", "one_em_step"]
    for quantity in quantities:
        assert told_of(quantity).abs().max() < 1e-9, quantity
    assert told_of("level").max() < 1e-9
    assert told_of("order").min() > -1e-9
    assert told_of("kl_excess").max() < 1e-6
    assert told_of("merged_marginal").max() < 1e-6 < told_of("merged_moments").min()


def test_proposition_1_fails_where_the_statistics_hide_what_x_tells() -> None:
    gaps = told_of("beyond_statistics")
    for alpha in (1.0, 3.0):
        # P[o = 1 | x] differs by (0.7 − 0.3)(2q − 1) between both x, and S' gives one law to both.
        keep = np.exp(alpha) / (1 + np.exp(alpha))
        assert gaps[f"φ = 1{{y = x}}, α = {alpha:g}"] == pytest.approx(0.4 * (2 * keep - 1) / 2, abs=1e-8)
        assert gaps[f"φ tells x, α = {alpha:g}"] == pytest.approx(0, abs=1e-8)
        assert gaps[f"x empty, α = {alpha:g}"] == pytest.approx(0, abs=1e-8)


def test_the_release_of_the_statistics_is_held_to_its_level() -> None:
    """Where y is told outright, S' that must be private comes as near as randomised response does."""
    told_apart, certain = np.array([[0, 1], [2, 3]]), np.eye(2)
    for alpha in (0.5, 2.0):
        found = nearest(told_apart, certain, np.eye(2), alpha)
        assert found == pytest.approx(1 / (1 + np.exp(alpha)), abs=1e-8)


def test_the_euclidean_step_and_misspecification_have_counterexamples() -> None:
    assert told_of("euclidean_step")["frequencies outside S(P)"] > 0.1
    scores = scores_of("theory").set_index(["quantity", "case"])["value"]
    for gap in ("misspecified_gap", "misspecified_gap_kl"):
        assert scores[gap, "symmetric"] < 1e-9 < 0.05 < scores[gap, "lopsided"]


def test_frequencies_of_the_misspecified_cases_lie_outside() -> None:
    inverse = np.linalg.inv(0.5 * np.eye(3) + 0.5 / 3)
    for seen in ([0.1, 0.55, 0.35], [0.05, 0.9, 0.05]):
        assert (inverse @ seen).min() < 0


def test_the_regression_of_counts_errs_less_with_more_regions() -> None:
    scores = scores_of("theory")
    found = scores[scores["quantity"] == "regression"].groupby("n")["value"].mean()
    assert found[10_000] < 0.2 * found[100]


def test_the_jackknife_needs_whole_groups() -> None:
    with pytest.raises(UnveilError, match="replications must be a multiple of groups"):
        Figure3(
            signals={},
            epsilons=(),
            replications=2_001,
            groups=20,
            sample_size=10,
            counterexample=Counterexample(statistics=(0, 1), theta=1),
        )


def wide(scores: pd.DataFrame, column: str = "value") -> pd.DataFrame:
    keys = ["signal", "epsilon", "quantity", scores["coordinate"].fillna(-1)]
    return scores.pivot_table(index=keys, columns="source", values=column)


def test_closed_forms_equal_enumeration() -> None:
    scores = scores_of("fig3").query("signal != 'counterexample'")
    table = wide(scores)
    assert set(table.columns) == {"exact", "closed_form", "monte_carlo"}
    assert len(table) == 2 * 3 * 5
    assert_allclose(table["closed_form"], table["exact"], rtol=1e-9)


def test_simulation_agrees_with_the_exact_values() -> None:
    scores = scores_of("fig3").query("signal != 'counterexample'")
    table = wide(scores)
    half = wide(scores, "high")["monte_carlo"] - table["monte_carlo"]
    # 30 jackknife t-statistics on 19 degrees of freedom: |t| < 8.5 at a false-alarm rate of 1e-6.
    assert np.all(np.abs(table["monte_carlo"] - table["exact"]) <= 8.5 / 2.09 * half + 1e-6)
    assert np.all(half / table["exact"] < 0.1)


def test_in_another_model_efficiency_falls_as_epsilon_rises() -> None:
    """By sums over states and observations, written plainly."""
    phi, values = np.array([0.0, 1.0, 5.0]), []
    found = scores_of("fig3").query("signal == 'counterexample'").set_index("epsilon")["value"]
    p = np.exp(2.0 * phi) / np.exp(2.0 * phi).sum()
    information = p @ phi**2 - (p @ phi) ** 2
    for epsilon in (0.2, 0.6):
        channel = epsilon * np.eye(3) + (1 - epsilon) / 3
        q = channel @ p
        posterior = channel * p @ phi / q
        marginal = 1 / (q @ posterior**2 - (q @ posterior) ** 2)
        beta = (phi - (1 - epsilon) * phi.mean()) / epsilon
        moments = (q @ beta**2 - (q @ beta) ** 2) / information**2
        values.append(marginal / moments)
        assert found[epsilon] == pytest.approx(values[-1])
    assert values[0] > values[1]


@pytest.mark.parametrize(("lines", "meet"), [("population", "truth"), ("equation", "preimage")])
def test_moment_equations_meet_in_their_solution(lines: str, meet: str) -> None:
    scores, matrix = scores_of("fig4"), np.array(SUPERVISION)
    solution = scores.loc[scores["curve"] == meet, POINT].to_numpy()[0]
    for o in (0, 1):
        ends = scores.loc[scores["curve"] == f"{lines} {o + 1}", POINT].to_numpy()
        assert len(ends) == 2
        assert_allclose(ends @ matrix[o], matrix[o] @ solution)


def test_at_equal_actual_privacy_each_scheme_has_the_level_that_its_mechanism_says() -> None:
    scores = scores_of("figA4")
    for row in scores[(scores["form"] == "actual") & (scores["size"] == 1.0)].itertuples():
        if row.scheme == "coordinate":
            nominal = 2 * row.alpha
            assert CoordinateRelease(nominal).tight_epsilon() == pytest.approx(row.alpha)
            expected = row.d**2 * flip_variance(nominal) + (row.d - 1) * row.mean_norm
        else:
            nominal = row.alpha * 2 * row.delta_bar / min(row.d, 2 * row.delta_bar)
            if row.delta_bar == int(row.delta_bar):
                assert PerValueRelease(nominal, row.delta_bar).tight_epsilon(row.d) == pytest.approx(row.alpha)
            expected = row.d * flip_variance(nominal / row.delta_bar)
        assert row.trace == pytest.approx(expected)


def test_every_point_is_a_distribution_but_the_preimage() -> None:
    scores = scores_of("fig4")
    points = scores[POINT].to_numpy()
    assert_allclose(points.sum(axis=1), 1)
    assert_allclose(place(scores[scores["curve"] == "truth"]).shape, (1, 2))
    assert (points[scores["curve"] != "preimage"] >= -1e-12).all()


def test_family_is_the_softmax_of_its_statistics() -> None:
    scores = scores_of("fig4")
    family = scores[scores["curve"] == "family"]
    weights = np.exp(np.outer(family["theta"], WIDE))
    assert_allclose(family[POINT], weights / weights.sum(axis=1, keepdims=True))


def test_a_line_beside_the_simplex_has_no_ends() -> None:
    assert equation_ends(np.array([0.2, 0.3, 0.4]), 0.9) == []
    assert len(equation_ends(np.array([0.2, 0.3, 0.4]), 0.25)) == 2


def test_curves_are_the_formula() -> None:
    scores = scores_of("fig5")
    for row in scores.itertuples():
        weights = np.exp(row.theta * np.array(NARROW))
        expected = np.log(np.dot(SUPERVISION[row.o - 1], weights) / weights.sum())
        assert row.log_marginal == pytest.approx(expected)


def test_every_form_has_a_finite_trace() -> None:
    scores = scores_of("figA4")
    assert set(scores["form"]) == {"exact", "printed", "small_alpha", "small_alpha_corrected", "actual"}
    assert np.isfinite(scores.drop(columns=["crossover", "crossover_actual"]).select_dtypes("number")).all(axis=None)
    assert (scores["crossover"] >= 1).all()
    assert (scores["trace"] > 0).all()


@pytest.mark.slow
def test_em_ends_in_both_maxima_and_moments_in_the_truth() -> None:
    scores = scores_of("trap")
    own = scores[(scores["case"] == "figure_5") & np.isinf(scores["n"])]
    maxima = own.loc[own["method"] == "max", "theta"].to_numpy()
    assert len(maxima) == 2
    for method in ("em", "scoring"):
        ends = own.loc[own["method"] == method, "theta"].to_numpy()
        assert_allclose(np.abs(ends[:, None] - maxima).min(axis=1), 0, atol=1e-2)
        assert len(np.unique(np.round(ends))) == 2
    assert own.loc[own["method"] == "moments", "theta"].item() == pytest.approx(-1.25, abs=1e-8)
    assert own.loc[own["method"] == "marginal", "theta"].item() == pytest.approx(-1.25, abs=1e-8)


@pytest.mark.slow
def test_the_gap_stays_where_supervision_is_wrong() -> None:
    scores = scores_of("trap")
    sampled = scores[scores["trial"].notna()]
    pairs = sampled.pivot_table(index=["case", "n", "trial"], columns="method", values="theta")
    gap = (pairs["marginal"] - pairs["moments"]).abs().groupby(["case", "n"]).mean()
    assert gap["misspecified", 1e7] == pytest.approx(gap["misspecified", 1e5], rel=0.1)
    assert gap["misspecified", 1e7] > 0.5
    # n grows a hundredfold, so the gap shrinks about tenfold.
    assert gap["figure_5", 1e7] < gap["figure_5", 1e5] / 3
    assert gap["figure_5", 1e7] < 0.02


def test_nothing_explains_the_misspecified_population() -> None:
    """The condition of section 6: no distribution over y has Sp = q*."""
    p = np.exp(1.2 * np.array(NARROW))
    q = np.array(told(0.7)) @ (p / p.sum())
    assert np.linalg.solve(told(0.5), q).min() < -0.01
