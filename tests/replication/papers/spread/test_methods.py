"""The methods of figure 3 on easy synthetic digits, and the stages around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.random import default_rng

from replication.arrays import Fields, Named
from replication.papers.spread.digits import Part
from replication.papers.spread.fig3.learn import METHODS, Seen
from replication.papers.spread.fig3.settings import Protocol
from small_digits import small_digits
from stages import drawn, module, run, scored, settings_of
from unveil.errors import UnveilError
from unveil.mechanisms.flips import PixelFlips

VALUES: dict[str, Any] = {
    "train": 60, "test": 50, "p_flips": [0.1, 0.3], "rate": 0.5, "iterations": [10, 60], "samples": 5,
    "penalties": [0.01, 0.1], "folds": 3, "protocol": "steps", "most": 300, "moved": 0.05,
}  # fmt: skip
FIELDS = small_digits(80, 170, 60)
SETTINGS = settings_of("spread.fig3", "learn", {**VALUES, "methods": ["clean"]})


def _learned(figure: str, number: int, arm: str, released: Named, public: Fields, values: dict[str, Any]) -> Named:
    return run(f"spread.{figure}", "learn", arm, number, [{"noisy": released}, public], values)


def _scored(methods: Sequence[str]) -> pd.DataFrame:
    """Figure 3 in two trials, with as many arms as it has."""
    cheats = ["clean", "spread_true"]
    honest = [method for method in methods if method not in cheats]
    arms: dict[str, tuple[list[str], Fields, Protocol]] = {
        "private": (honest, {}, "steps"),
        "peeking": (cheats, FIELDS, "steps"),
        "converged": (honest, {}, "converged"),
        "converged_peeking": (cheats, FIELDS, "converged"),
    }
    learned: dict[str, list[Named]] = {arm: [] for arm in arms}
    for number in range(2):
        released = run("spread.fig3", "release", "noisy", number, [FIELDS], VALUES)
        assert set(released) == {(what, i) for what in ("images", "labels") for i in range(2)}
        for arm, (chosen, public, protocol) in arms.items():
            asked = {**VALUES, "methods": chosen, "protocol": protocol}
            learned[arm].append(_learned("fig3", number, arm, released, public, asked))
    return scored("spread.fig3", 2, VALUES, learned, FIELDS)


def test_every_method_of_figure_3_learns_easy_digits() -> None:
    scores = _scored([*METHODS])
    assert len(scores) == len(METHODS) * 2 * 2 * (2 + 1)
    paper = scores[scores["protocol"] == "converged"]
    assert set(paper["iterations"]) == {300}
    climbs = paper[~paper["method"].isin(["class_means", "noisy_l2_centred"])]
    assert set(climbs["ended"]) <= {100, 200, 300}
    assert set(METHODS) == set(scores["method"])
    steps = scores[scores["protocol"] == "steps"]
    assert (steps.loc[steps["iterations"] == 60, "accuracy"] > 0.9).all()
    assert (paper["accuracy"] > 0.7).all()
    clean = scores[(scores["method"] == "clean") & (scores["protocol"] == "steps")]
    clean = clean.groupby(["iterations", "trial"])["accuracy"]
    assert (clean.max() == clean.min()).all(), "clean training does not depend on the noise"
    drawn("spread.fig3", scores)


@pytest.mark.parametrize("method", ["clean", "spread_true"])
def test_cheats_need_a_peek(method: str) -> None:
    released = run("spread.fig3", "release", "noisy", 0, [FIELDS], VALUES)
    with pytest.raises(UnveilError, match="peeks"):
        _learned("fig3", 0, "private", released, {}, {**VALUES, "methods": [method]})


def test_class_means_undo_the_flips_in_their_threshold() -> None:
    # Unequal brightness: without debiasing, the threshold would sit far from the clean classes' middle.
    rng = default_rng(81)
    labels = rng.integers(0, 2, 4000)
    images = np.where(labels[:, None] == 1, 40, 10) + rng.integers(0, 5, (4000, 6))
    noisy = Part(PixelFlips(0.4).release(images.astype(np.uint8), rng), labels)
    weights, intercepts = METHODS["class_means"](Seen(noisy, 0.4), SETTINGS, rng)[:2]
    assert weights.shape == (2, 6)
    guess = images / 255 @ weights[0] + intercepts[0] > 0
    assert (guess == labels).mean() == 1


@pytest.mark.parametrize("method", ["noisy", "noisy_l2_centred", "class_means"])
def test_plain_methods_do_not_depend_on_the_generator(method: str) -> None:
    rng = default_rng(82)
    seen = Seen(Part(rng.integers(0, 256, (50, 9), dtype=np.uint8), rng.integers(0, 2, 50)), 0.2)
    one, other = (METHODS[method](seen, SETTINGS, default_rng(seed)) for seed in (1, 2))
    assert np.array_equal(one[0], other[0])


def test_samples_stages_agree_on_their_grid() -> None:
    grid = {"p_flips": [0.2], "levels": {"pixel": [1, 4], "z": [1, 4, 8]}, "labels": ["sampled", "summed"]}
    values = {**VALUES, **grid, "steps": 40}
    released = run("spread.samples", "release", "noisy", 0, [FIELDS], values)
    learned = _learned("samples", 0, "spread", released, {}, values)
    scores = scored("spread.samples", 1, values, {"spread": [learned]}, FIELDS)
    assert len(scores) == 2 * (2 + 3)
    # One sample of the label is pure chance after the flips: θ stays shorter than with the label summed.
    norms = scores[scores["samples"] == 1].groupby("labels")["theta_norm"].mean()
    assert norms["sampled"] < norms["summed"]
    assert len(drawn("spread.samples", scores).axes[0].get_legend_handles_labels()[0]) == 4


def test_gaussian_stages_make_the_table() -> None:
    grid = {"variances": [0.1], "samples": [2, 5], "labels": ["sampled", "summed"], "iterations": [5, 40]}
    values = {**VALUES, **grid, "clean_iterations": [5, 40], "label_flip": 0.2, "prior": [0.0, 10.0], "rate": 0.2}
    learned: dict[str, list[Named]] = {"private": [], "peeking": []}
    for number in range(2):
        sent = run("spread.gaussian", "release", "noisy", number, [FIELDS], values)
        assert sent["images", 0].dtype == np.float16
        learned["private"].append(_learned("gaussian", number, "private", sent, {}, values))
        learned["peeking"].append(run("spread.gaussian", "learn", "peeking", number, [{}, FIELDS], values))
    scores = scored("spread.gaussian", 2, values, learned, FIELDS)
    assert len(scores) == 2 * 2 * (2 + 4)
    assert (scores.loc[scores["iterations"] == 40, "test_accuracy"] > 0.9).all()
    table = module("spread.gaussian", "draw").table(scores)
    assert len(table) == 2 * (2 + 4)
    assert (table.loc[(table["method"] == "clean data") & (table["iterations"] == 40), "loss %"] == "0.00 ± 0.00").all()
