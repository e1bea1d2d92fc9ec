"""Every figure from release to picture, in small, on data whose answer is known."""

from __future__ import annotations

from dataclasses import fields
from importlib import import_module
from typing import Any, get_args, get_type_hints

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from replication import style
from replication.engine.checking import checked
from replication.papers.class_ratio.fig2.learn import METHODS
from replication.papers.class_ratio.settings import Exact
from replication.randomness import Trial
from unveil.errors import UnveilError
from unveil.types import Array

DEMAND = {"epsilon": 0.05, "delta": 0.05}
VEILS: dict[str, Any] = {"mechanisms": ["none", "laplace", "scaled_dirichlet"], **DEMAND, "draws": 2, "steps": 3}


def sets(*rhos: float) -> dict[str, Any]:
    return {"census": {"classes": 3, "train": 300, "validation": 150, "test": 150, "rhos": rhos}}


def toy(classes: int, size: int) -> dict[str, Array]:
    """Classes six deviations apart: any sound estimator is right about them."""
    rng = np.random.default_rng(0)
    labels = rng.permutation(np.repeat(np.arange(classes), size)).astype(np.uint8)
    centres = 6 * np.eye(classes, 4)
    return {"features": (rng.normal(size=(len(labels), 4)) + centres[labels]).astype(np.float32), "labels": labels}


def stage(figure: str, name: str, **given: Any) -> tuple[Any, Any]:
    """A stage, and of what is given all that it asks for, checked as the configuration is."""
    place = f"replication.papers.class_ratio.{figure}"
    kind = get_type_hints(import_module(f"{place}.settings").Figure)[name]
    record = get_args(kind)[1] if get_args(kind) else kind
    wanted = {entry.name: given[entry.name] for entry in fields(record) if entry.name in given}
    return getattr(import_module(f"{place}.{name}"), name), checked(record, wanted)


def run(figure: str, data: dict[str, Array], arm: str = "mmd", **given: Any) -> pd.DataFrame:
    """Release, learn and score two trials."""
    release, owners = stage(figure, "release", **given)
    learn, learners = stage(figure, "learn", **given)
    score, referees = stage(figure, "score", **given)
    learned = []
    for number in range(2):
        trial = Trial(1, "class_ratio", figure, "release", "sets", number)
        released = release({"census": {"labels": data["labels"]}}, trial, owners)
        assert all(array.dtype.kind != "O" for array in released.values())
        public = {"census": {"features": data["features"]}}
        learned.append(learn({"sets": released}, public, trial, learners))
    scores = score({arm: learned}, {}, [], referees)
    assert isinstance(scores, pd.DataFrame)
    return scores


def drawn(figure: str, scores: pd.DataFrame) -> Figure:
    with style.applied():
        picture = import_module(f"replication.papers.class_ratio.{figure}.draw").draw(scores)
        picture.draw_without_rendering()
    assert isinstance(picture, Figure)
    return picture


def test_fig3_from_release_to_picture() -> None:
    scores = run("fig3", toy(3, 900), sets=sets(0.05), copies=[1], **VEILS)
    assert list(scores.columns[:5]) == ["dataset", "mechanism", "x", "trial", "l1_error"]
    assert scores.loc[scores["mechanism"] == "none", "l1_error"].max() < 0.08
    assert scores.loc[scores["mechanism"] == "laplace", "l1_error"].mean() > 0.1
    missing = scores[scores["mechanism"] == "scaled_dirichlet"]
    assert set(missing["status"]) == {"no_scale"}
    assert missing["l1_error"].isna().all()
    assert sorted(set(scores["x"])) == pytest.approx([0, 1 / 6, 1 / 3])
    assert "no σ" in {t.get_text()[-4:] for t in drawn("fig3", scores).axes[0].texts}


def test_skew_from_release_to_picture() -> None:
    scores = run("skew", toy(3, 900), sets=sets(0.05, 0.2), copies=[1], **VEILS)
    assert list(scores.columns[:6]) == ["dataset", "rho", "mechanism", "trial", "l1_error", "scale"]
    assert len(scores) == 2 * 3 * 2
    assert scores["trial"].tolist() == [0, 1] * 6
    assert scores["mechanism"].tolist()[:6:2] == VEILS["mechanisms"]
    scaled = scores[scores["mechanism"] == "scaled_dirichlet"].set_index("rho")["scale"]
    assert scaled[0.05].isna().all()
    assert (scaled[0.2] > 0).all()
    drawn("skew", scores)


def test_set_sizes_from_release_to_picture() -> None:
    scores = run("set_sizes", toy(3, 900), sets=sets(0.05), copies=[1, 4], **VEILS)
    assert list(scores.columns[:5]) == ["dataset", "sets", "n", "trial", "l1_error"]
    assert {tuple(row) for row in scores[["sets", "n"]].to_numpy()} == {(3, 300), (12, 75)}
    plain = scores[scores["mechanism"] == "none"]
    assert plain["l1_error"].max() < 0.08
    drawn("set_sizes", scores)


def test_sets_of_data_that_nobody_reads_are_an_error() -> None:
    release, settings = stage("fig3", "release", sets=sets(0.05), copies=[1], **VEILS)
    trial = Trial(1, "class_ratio", "fig3", "release", "sets", 0)
    with pytest.raises(UnveilError, match="must name the data sets that are read"):
        release({"higgs": toy(3, 900)}, trial, settings)


def test_theory_from_release_to_picture() -> None:
    scores = run(
        "theory",
        toy(2, 3000),
        sets={"census": {"classes": 2, "sizes": [100, 800]}},
        rho=0.1,
        test_share=0.5,
        epsilon=0.5,
        delta=0.05,
        failure=0.05,
        asymptotics={"proportions": [0.2, 0.8], "kappa": 0.5, "exponent": 0.5, "totals": [1e3, 1e5]},
        prior={"draws": 100, "mass": 50.0, "classes": [2, 5]},
    )
    assert list(scores.columns) == ["dataset", "n", "quantity", "trial", "bound", "actual"]
    by = scores.groupby("quantity")
    for name in ("theorem_1", "lemma_2_corrected", "lemma_4", "asymptotic_delta"):
        rows = by.get_group(name)
        assert (rows["actual"] <= rows["bound"] * (1 + 1e-9)).all(), name
    floor = by.get_group("prior_floor")
    np.testing.assert_allclose(floor["actual"], floor["bound"])
    assert floor["dataset"].isna().all()
    bounds = by.get_group("theorem_1").groupby("n")["bound"].mean()
    assert bounds[800] < bounds[100] / 2
    drawn("theory", scores)


TWO = {"sets": {"census": {"train": 120, "validation": 120, "test": 100}}, "rho": 0.1}
OPTIONS = {"mmd_rff": {"random_features": 200}, "psvm": {"bandwidths": [4.0], "costs": [1.0], "restarts": 1}}
LABELLED = ["emq_labelled", "classify_count_labelled"]


def test_fig2_from_release_to_picture() -> None:
    unlabelled = [name for name in METHODS if name not in LABELLED]
    asked = {"methods": unlabelled, "options": OPTIONS, "fractions": [0.1, 0.9]}
    scores = run("fig2", toy(2, 600), arm="kernel", **TWO, **asked)
    assert list(scores.columns) == ["dataset", "method", "positive_fraction", "trial", "l1_error"]
    assert set(scores["method"]) == {*unlabelled, "psvm_unmixed"}
    assert scores["l1_error"].max() < 0.15
    drawn("fig2", scores)


@pytest.mark.parametrize("method", LABELLED)
def test_labelled_methods_need_an_arm_that_peeks(method: str) -> None:
    data, trial = toy(2, 600), Trial(1, "class_ratio", "fig2", "release", "sets", 0)
    release, owners = stage("fig2", "release", **TWO, fractions=[0.2])
    learn, learners = stage("fig2", "learn", methods=[method], options=OPTIONS)
    released = {"sets": release({"census": data}, trial, owners)}
    with pytest.raises(UnveilError, match="does not peek"):
        learn(released, {"census": {"features": data["features"]}}, trial, learners)
    found = learn(released, {"census": data}, trial, learners)
    np.testing.assert_allclose(found["census", method], [[0.8, 0.2]], atol=0.06)


@pytest.fixture(scope="module")
def fig1() -> pd.DataFrame:
    score, settings = stage(
        "fig1",
        "score",
        defaults={"classes": 5, "size": 1000, "proportion": 0.05, **DEMAND},
        classes=[2, 5],
        proportions=[0.025, 0.05],
        epsilons=[0.05, 0.2],
        mechanisms=get_args(Exact),
        public_minimum_share=0.8,
        companion_draws=50,
    )
    trials = [Trial(1, "class_ratio", "fig1", "score", "score", number) for number in range(4)]
    scores: pd.DataFrame = score({}, {}, trials, settings)
    return scores


def test_fig1_tells_what_has_no_scale(fig1: pd.DataFrame) -> None:
    columns = ["panel", "x", "mechanism", "trial", "distortion", "scale", "status", "true_delta"]
    assert list(fig1.columns[:8]) == columns
    gap = fig1[fig1["status"] == "no_scale"]
    assert gap[["panel", "x", "mechanism"]].to_numpy().tolist() == [["proportions", 0.025, "scaled_dirichlet"]]
    assert gap["distortion"].isna().all()
    texts = [text.get_text().strip() for axes in drawn("fig1", fig1).axes for text in axes.texts]
    assert texts.count("no σ") == 2  # in both rows of distortions


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


def test_fig1_does_not_depend_on_the_companion_of_other_seeds(fig1: pd.DataFrame) -> None:
    single = fig1[(fig1["draws"] == 1) & (fig1["mechanism"] == "laplace")]
    assert single["trial"].nunique() == 4
    assert single["distortion"].nunique() == len(single)


def test_guarantee_is_void_at_the_smallest_count_with_a_scale() -> None:
    counts = {"classes": 5, "size": 1000, "smallest": [46, 47, 50, 100], "public_minimum": 40}
    score, settings = stage("guarantee", "score", **counts, **DEMAND)
    scores = score({}, {}, [], settings)
    columns = ["rule", "counts", "epsilon", "delta", "scale", "true_delta_fixed", "true_delta_recomputed"]
    assert list(scores.columns[:7]) == columns
    paper = scores[scores["rule"] == "paper"].set_index("counts")
    assert np.isnan(paper.loc["46 46 46 46 816", "scale"])
    assert paper.loc["47 47 47 47 812", "true_delta_recomputed"] == 1.0
    assert paper.loc["50 50 50 50 800", "true_delta_recomputed"] > 0.07
    assert paper.loc["50 50 50 50 800", "true_delta_fixed"] < 0.002
    tight = scores[scores["rule"] == "tight"]
    np.testing.assert_allclose(tight["true_delta_fixed"], 0.05, rtol=1e-6)
    assert (tight["true_delta_recomputed"] > 0.05).all()
    assert (scores.loc[scores["rule"] == "public", "true_delta_recomputed"] <= 0.05).all()
    drawn("guarantee", scores)
