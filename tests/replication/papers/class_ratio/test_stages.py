"""Every figure from release to picture, in small, on data whose answer is known."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.random import Generator
from scipy.special import betaln
from scipy.stats import hypergeom

import stages
from checks import assert_mean
from replication.papers.class_ratio.fig2.learn import METHODS
from replication.papers.class_ratio.fig3.settings import PAPER
from replication.papers.class_ratio.mechanisms import MECHANISMS, release_proportions
from replication.papers.class_ratio.sets import skewed_counts
from replication.papers.class_ratio.settings import Demand
from unveil.errors import UnveilError
from unveil.mechanisms.dirichlet_draws import ScaledDirichlet
from unveil.types import Array

DEMAND = {"epsilon": 0.05, "delta": 0.05}
ESTIMATORS = ["mmd", "mmd_gamma", "mmd_unbiased", "set_id_logistic"]
VEILS: dict[str, Any] = {"mechanisms": ["none", "laplace", "scaled_dirichlet"], **DEMAND, "draws": 2, "steps": 3}


def sets(*rhos: float) -> dict[str, Any]:
    return {"census": {"classes": 3, "train": 300, "validation": 150, "test": 150, "rhos": rhos}}


def toy(classes: int, size: int) -> dict[str, Array]:
    """Classes six deviations apart: any sound estimator is right about them."""
    rng = np.random.default_rng(0)
    labels = rng.permutation(np.repeat(np.arange(classes), size)).astype(np.uint8)
    centres = 6 * np.eye(classes, 4)
    return {"features": (rng.normal(size=(len(labels), 4)) + centres[labels]).astype(np.float32), "labels": labels}


def walk(
    figure: str, data: dict[str, Array], arm: str = "mmd", others: dict[str, list[Any]] | None = None,
    private: tuple[str, ...] = ("labels",), **given: Any,
) -> pd.DataFrame:  # fmt: skip
    """Release, learn and score two trials, beside what other arms learnt; owner and referee read what is `private`."""
    place, learned, own = f"class_ratio.{figure}", [], {"census": {name: data[name] for name in private}}
    for number in range(2):
        released = stages.run(place, "release", "sets", number, [own], given)
        public = {"census": {"features": data["features"]}}
        learned.append(stages.run(place, "learn", arm, number, [{"sets": released}, public], given))
    return stages.scored(place, 2, given, {arm: learned, **(others or {})}, own)


def test_fig3_from_release_to_picture() -> None:
    asked: dict[str, Any] = {"census": {**sets(0.05)["census"], "others": 120}}
    veils = {**VEILS, "mechanisms": [*VEILS["mechanisms"], "fallback"], "demands": [{"epsilon": 5.0, "delta": 0.5}]}
    scores = walk("fig3", toy(3, 900), sets=asked, copies=[1], estimators=ESTIMATORS, **veils)
    own = scores[scores["epsilon"] == 0.05]
    assert own.loc[own["mechanism"] == "none", "l1_error"].max() < 0.08
    assert own.loc[own["mechanism"] == "laplace", "l1_error"].mean() > 0.1
    missing = own[own["mechanism"] == "scaled_dirichlet"]
    assert set(missing["status"]) == {"no_scale"}
    assert missing["l1_error"].isna().all()
    assert sorted(set(scores["x"])) == pytest.approx([0, 1 / 6, 1 / 3])
    assert set(own["estimator"]) == set(ESTIMATORS)
    assert set(own["dominant"]) == {0, 1, 2}
    # What else could be demanded: of the paper's mechanisms, learner and common class, with hardly any noise.
    other = scores[scores["epsilon"] == 5.0]
    assert set(other["mechanism"]) == {*PAPER}
    assert set(other["estimator"]) == {"mmd"}
    assert other["l1_error"].max() < 0.1
    # The common class is the last by frequency, of equally frequent ones by label.
    assert set(other["dominant"]) == {2}
    assert set(scores.loc[scores["named_last"], "dominant"]) == {2}
    drawn = stages.drawn("class_ratio.fig3", scores)
    assert any(t.get_text().startswith("no σ") for axes in drawn.axes for t in axes.texts)


def test_sets_that_only_choose_the_kernel_fall_back_alone() -> None:
    """Training sets of 900 have a σ at ρ = 0.1, validation sets of 300 have none."""
    counts = np.concatenate([skewed_counts(3, 0.1, size) for size in (900, 300)])
    ask = partial(release_proportions, counts, ["scaled_dirichlet"], Demand(), 2000)

    def drawn() -> Callable[[str], Generator]:
        return {"scaled_dirichlet": np.random.default_rng(0)}.__getitem__

    assert not ask(drawn())  # all of them are to learn from
    found = ask(drawn(), training=3)["scaled_dirichlet"]
    alone = ask(drawn(), training=0)["scaled_dirichlet"]
    truth = counts / counts.sum(axis=1, keepdims=True)
    spreads = [np.abs(rows - truth).sum(axis=2) for rows in (found, alone)]
    scaled = ScaledDirichlet(0.05, 0.05).release(np.tile(counts[:1], (2000, 1)), np.random.default_rng(1))
    assert_mean(spreads[0][:, 0] - np.abs(scaled - truth[0]).sum(axis=1), 0.0)
    assert_mean(spreads[0][:, 3] - spreads[1][:, 3], 0.0)


def test_skew_from_release_to_picture() -> None:
    scores = walk("skew", toy(3, 900), sets=sets(0.05, 0.2), copies=[1], **VEILS)
    assert len(scores) == 2 * 3 * 2
    assert scores["trial"].tolist() == [0, 1] * 6
    assert scores["mechanism"].tolist()[:6:2] == VEILS["mechanisms"]
    scaled = scores[scores["mechanism"] == "scaled_dirichlet"].set_index("rho")["scale"]
    assert scaled[0.05].isna().all()
    assert (scaled[0.2] > 0).all()
    stages.drawn("class_ratio.skew", scores)


def test_set_sizes_from_release_to_picture() -> None:
    scores = walk("set_sizes", toy(3, 900), sets=sets(0.05), copies=[1, 4], **VEILS)
    assert {tuple(row) for row in scores[["sets", "n"]].to_numpy()} == {(3, 300), (12, 75)}
    plain = scores[scores["mechanism"] == "none"]
    assert plain["l1_error"].max() < 0.08
    stages.drawn("class_ratio.set_sizes", scores)


def test_set_sizes_with_a_machine() -> None:
    """∝SVM learns from the veils that it is told, and its rows under others are left out."""
    two = {"census": {**sets(0.05)["census"], "classes": 2, "train": 120, "others": 150}}
    machine = {"bandwidths": [4.0], "costs": [1.0], "restarts": 1}
    asked: dict[str, Any] = {"sets": two, "copies": [1, 4], "estimators": ["psvm"], "psvm": machine, "veils": ["none"]}
    scores = walk("set_sizes", toy(2, 900), arm="psvm", **asked, **VEILS)
    assert set(scores["method"]) == {"psvm"}
    assert set(scores["mechanism"]) == {"none"}
    assert scores["l1_error"].max() < 0.15
    assert scores["accuracy"].between(0.9, 1.0).all()


def test_sets_of_data_that_nobody_reads_are_an_error() -> None:
    asked: dict[str, Any] = {"sets": sets(0.05), "copies": [1], **VEILS}
    with pytest.raises(UnveilError, match="must name the data sets that are read"):
        stages.run("class_ratio.fig3", "release", "sets", 0, [{"higgs": toy(3, 900)}], asked)


def test_theory_from_release_to_picture() -> None:
    scores = walk(
        "theory", toy(2, 3000),
        sets={"census": {"classes": 2, "sizes": [100, 800]}}, rho=0.1, test_share=0.5,
        epsilon=0.5, delta=0.05, failure=0.05,
        asymptotics={"proportions": [0.2, 0.8], "kappa": 0.5, "exponent": 0.5, "totals": [1e3, 1e5]},
        limits={
            "classes": 5, "size": 1000, "scale": 0.02, **DEMAND, "smallest": [50, 100, 200], "members": 100,
            "joining": [2, 20], "proportion": 0.05, "totals": [1e3, 1e6],
        },
        prior={"draws": 100, "mass": 50.0, "classes": [2, 5], "members": [1, 2, 5]},
    )  # fmt: skip
    by = scores.groupby("quantity")
    bounded = ("theorem_1", "lemma_1", "lemma_2_corrected", "lemma_3", "lemma_4", "joining_classes")
    for name in (*bounded, "asymptotic_delta", "chebyshev_delta", "asymptotic_error", "evenness"):
        rows = by.get_group(name)
        assert (rows["actual"] <= rows["bound"] * (1 + 1e-9)).all(), name
    shared = by.get_group("unequal_sets").set_index("n")["actual"]
    for ratio, value in shared.items():  # C_δ(n) is a multiple of n^-½
        sizes = 2700 * np.array([1, 1, ratio]) / (2 + ratio)
        assert value == pytest.approx(0.5 * np.log((1 / sizes).sum() / (3 / 900)))
    more = by.get_group("more_sets").set_index("n")["actual"]
    assert (more > np.log(more.index)).all()
    levels = by.get_group("laplace_level")
    np.testing.assert_allclose(levels["actual"], levels["bound"])
    floor = by.get_group("prior_floor")
    np.testing.assert_allclose(floor["actual"], floor["bound"])  # a closed form and an enumeration
    assert by.get_group("evenness")["actual"].is_monotonic_decreasing
    least = by.get_group("chebyshev_least").set_index("n")
    assert least["actual"][1000] > 0.5
    assert least["actual"][1_000_000] < 0.05
    spread, errors = (by.get_group(name) for name in ("distortion_laplace", "error_laplace"))
    assert (spread["actual"] > 0).all()
    assert by.get_group("distortion_none")["actual"].max() < 1e-12
    assert errors["bound"].isna().all()
    assert floor["dataset"].isna().all()
    bounds = by.get_group("theorem_1").groupby("n")["bound"].mean()
    assert bounds[800] < bounds[100] / 2
    condition = by.get_group("condition").dropna()
    assert (condition["bound"] >= condition["actual"]).all()
    assert (condition["actual"] > 1).all()
    stages.drawn("class_ratio.theory", scores)


TWO: dict[str, Any] = {"sets": {"census": {"train": 120, "validation": 120, "test": 100}}, "rho": 0.1}
MACHINES = ("psvm", "psvm_starts", "psvm_price")
OPTIONS = {"mmd_rff": {"random_features": 200}} | {
    name: {"bandwidths": [4.0], "costs": [1.0], "restarts": 1} for name in MACHINES
}
LABELLED = [name for name in METHODS if name.endswith("_labelled")]


def test_fig2_from_release_to_picture() -> None:
    unlabelled = [name for name in METHODS if name not in LABELLED]
    asked: dict[str, Any] = {"methods": unlabelled, "options": OPTIONS, "fractions": [0.1, 0.9]}
    scores = walk("fig2", toy(2, 600), arm="kernel", **TWO, **asked)
    assert set(scores["method"]) == {*unlabelled, "psvm_unmixed"}
    assert scores["l1_error"].max() < 0.15
    stages.drawn("class_ratio.fig2", scores)


@pytest.mark.parametrize("method", LABELLED)
def test_labelled_methods_need_an_arm_that_peeks(method: str) -> None:
    data = toy(2, 600)
    asked: dict[str, Any] = {**TWO, "fractions": [0.2], "methods": [method], "options": OPTIONS}
    released = {"sets": stages.run("class_ratio.fig2", "release", "sets", 0, [{"census": data}], asked)}
    learn = partial(stages.run, "class_ratio.fig2", "learn", "sets", 0, values=asked)
    with pytest.raises(UnveilError, match="does not peek"):
        learn([released, {"census": {"features": data["features"]}}])
    found = learn([released, {"census": data}])
    np.testing.assert_allclose(found["census", method], [[0.8, 0.2]], atol=0.06)


@pytest.fixture(scope="module")
def fig1() -> pd.DataFrame:
    asked: dict[str, Any] = {
        "defaults": {"classes": 5, "size": 1000, "proportion": 0.05, **DEMAND}, "classes": [2, 5],
        "proportions": [0.025, 0.05], "epsilons": [0.05, 0.2],
        "mechanisms": [name for name in MECHANISMS if name != "fallback"],
        "public_minimum_share": 0.8, "companion_draws": 50,
    }  # fmt: skip
    return stages.scored("class_ratio.fig1", 4, asked)


def test_fig1_tells_what_has_no_scale(fig1: pd.DataFrame) -> None:
    gap = fig1[fig1["status"] == "no_scale"]
    assert gap[["panel", "x", "mechanism"]].to_numpy().tolist() == [["proportions", 0.025, "scaled_dirichlet"]]
    assert gap["distortion"].isna().all()
    texts = [text.get_text().strip() for axes in stages.drawn("class_ratio.fig1", fig1).axes for text in axes.texts]
    assert texts.count("no σ") == 1


def test_fig1_at_the_defaults_is_the_same_in_all_panels(fig1: pd.DataFrame) -> None:
    many = fig1[fig1["draws"] == 50]
    at = {"classes": 5, "proportions": 0.05, "epsilon": 0.05}
    means = [
        many[(many["panel"] == p) & (many["x"] == x)].groupby("mechanism")["distortion"].mean() for p, x in at.items()
    ]
    for other in means[1:]:
        np.testing.assert_allclose(other, means[0], rtol=0.35)
    deltas = fig1.groupby("mechanism")["true_delta"].max()
    assert deltas["scaled_dirichlet"] > 0.07
    assert deltas[["laplace", "laplace_prior"]].max() == 0.0
    assert deltas["scaled_dirichlet_public"] <= 0.05


def test_guarantee_is_void_at_the_smallest_count_with_a_scale() -> None:
    counts = {"classes": 5, "size": 1000, "smallest": [46, 47, 50, 100], "public_minimum": 40}
    scores = stages.scored("class_ratio.guarantee", 0, {**counts, **DEMAND})
    paper = scores[scores["rule"] == "paper"].set_index("counts")
    assert np.isnan(paper.loc["46 46 46 46 816", "scale"])
    assert paper.loc["47 47 47 47 812", "true_delta_recomputed"] == 1.0
    assert paper.loc["50 50 50 50 800", "true_delta_recomputed"] > 0.07
    assert paper.loc["50 50 50 50 800", "true_delta_fixed"] < 0.002
    tight = scores[scores["rule"] == "tight"]
    np.testing.assert_allclose(tight["true_delta_fixed"], 0.05, rtol=1e-6)
    assert (tight["true_delta_recomputed"] > 0.05).all()
    assert (scores.loc[scores["rule"] == "public", "true_delta_recomputed"] <= 0.05).all()
    stages.drawn("class_ratio.guarantee", scores)


def test_two_thousand_draws_agree_with_closed_forms() -> None:
    """E|θ − p| of a Beta, 2 a^a b^b / (B(a, b) (a + b)^(a + b + 1)), and of a hypergeometric count by enumeration."""
    counts = np.array([50.0] * 4 + [800.0])
    many, p = np.tile(counts, (2000, 1)), counts / 1000
    for name in ("scaled_dirichlet", "scaled_dirichlet_tight", "scaled_dirichlet_public"):
        mechanism: Any = MECHANISMS[name](0.05, 0.05, 40)
        a = mechanism.scale(counts) * counts
        b = a.sum() - a
        log_mean = np.log(2) + a * np.log(a) + b * np.log(b) - betaln(a, b) - (a + b + 1) * np.log(a + b)
        distances = np.abs(mechanism.release(many, np.random.default_rng(7)) - p).sum(axis=1)
        assert_mean(distances, np.exp(log_mean).sum())
    drawn = MECHANISMS["subsample"](0.05, 0.05, None).release(many, np.random.default_rng(8))
    seen = np.arange(51)
    expected = sum((hypergeom(1000, int(n), 50).pmf(seen) * np.abs(seen / 50 - n / 1000)).sum() for n in counts)
    assert_mean(np.abs(drawn - p).sum(axis=1), expected)
