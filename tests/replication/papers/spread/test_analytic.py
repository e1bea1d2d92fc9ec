"""The figures without owner and learner: columns, grids, and what they must show."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import stages
from replication.papers.spread.noisy_regression import NoisyRegression
from replication.papers.spread.theory.score import end_of_em, enumerated, gaussian, on_the_sphere, slope, validity
from unveil.mechanisms.flips import LabelFlips

#: Trials and settings.
SETTINGS: dict[str, tuple[int, dict[str, Any]]] = {
    "voting": (30, {
        "voters": [100, 1000], "shares": [0.1, 0.5], "flips": [[0.2, 0.2], [0.1, 0.35]], "releases": [1, 2, 3, 10],
        "release_flips": [0.2],
    }),
    "fig1": (0, {"p_flips": [0.0, 0.05, 0.3], "points": 21}),
    "privacy": (0, {"p_flips": [0.1, 0.4], "variances": [0.5], "pixels": 784, "states": 256, "delta": 1e-5}),
    "appendix_b": (3, {
        "theta": [1.0, -1.0, 0.5], "variances": [0.25, 1.0, 4.0], "shift": [1.0, 0.0, 0.5], "label_flips": [0.2, 0.1],
        "input_noise": 1.0, "sizes": [500, 20_000],
    }),
    "consistency": (2, {
        "theta": [1.5, -1.0, 2.0], "logits": [-1.0, 0.5, 1.0], "coupling": 1.0, "p_flips": [0.2],
        "sizes": [1000, 1_000_000],
    }),
    "theory": (2, {"label_flips": [[0.2, 0.2], [0.4, 0.1]], "variances": [0.25, 4.0], "inputs": [3]}),
    "divergences": (3, {"p_flips": [0.1, 0.3], "sizes": [1000], "truths": [0.1, 0.5, 0.8], "points": 6}),
}  # fmt: skip


@cache
def _scores(figure: str) -> pd.DataFrame:
    return stages.scored(f"spread.{figure}", *SETTINGS[figure])


@pytest.mark.parametrize("figure", SETTINGS)
def test_scores_have_no_gaps_and_can_be_drawn(figure: str) -> None:
    scores = _scores(figure)
    assert scores.drop(columns="trial", errors="ignore").notna().all().all()
    stages.drawn(f"spread.{figure}", scores)


def test_figure_1_covers_its_grid() -> None:
    scores = _scores("fig1")
    assert set(scores["kind"]) == {"global", "interior", "em"}
    em = scores[scores["kind"] == "em"]
    assert len(em) == 3 * 21
    np.testing.assert_allclose(em["theta"], em["theta0"], atol=1e-6)
    assert scores[(scores["p_flip"] == 0.3) & (scores["kind"] == "interior")].empty


def test_appendix_b_measures_what_it_predicts() -> None:
    scores = _scores("appendix_b")
    cases = ["covariance", "mean", "noise", "intercept", "whitening"]
    large = scores[scores["n"] == 20_000].groupby(cases)[["angle_predicted", "angle_measured"]].mean()
    assert (large["angle_predicted"] - large["angle_measured"]).abs().max() < 6
    assert large.loc[("anisotropic", "zero", "label", False, "none"), "angle_predicted"] < 1e-6
    assert large.loc[("anisotropic", "zero", "input", False, "none"), "angle_predicted"] > 10
    for noise in ("input", "both"):
        assert large.loc[("anisotropic", "zero", noise, False, "before"), "angle_measured"] < 6


def test_appendix_b_holds_on_the_sphere() -> None:
    found = _scores("theory").set_index(["quantity", "inputs"])["value"]
    assert found["angle", "isotropic Gaussian"].max() < 1e-5
    assert found["slope", "isotropic Gaussian"].max() < 1e-9
    assert found["slope", "anisotropic Gaussian"].min() > 1e-3
    assert found["angle", "anisotropic Gaussian"].min() > 1
    assert found["length", "isotropic Gaussian"].max() < 0.9


def test_the_noise_is_valid_and_couples() -> None:
    """The eigenvalues of keeping with 1 − p, else going to one of the K − 1 others, are 1 and 1 − pK/(K − 1)."""
    rows = _scores("theory").set_index(["quantity", "inputs", "zero_to_one"])["value"].sort_index()
    for inputs, states in (("labels", 2), ("pixels", 256)):
        for p, value in rows["validity", inputs].items():
            assert value == pytest.approx(1 - p * states / (states - 1))
    assert validity(255 / 256, 256) == pytest.approx(0.0, abs=1e-12)
    coupled = rows["coupling", "two inputs"]
    assert coupled[0.0].max() < 1e-12
    assert coupled[coupled.index > 0].min() > 1e-4
    # The truth is where EM rests with the posterior; without noise every q is the posterior.
    assert rows["exact_q", "two inputs"].max() < 1e-8
    assert rows["factorised_q", "two inputs"].min() > 1e-3
    assert end_of_em(1e-9, np.array([0.5, -1.0, 0.3, 0.2]), factorised=True) < 1e-6


def test_the_maximum_on_the_sphere_and_its_slope_by_simulation() -> None:
    """Two dimensions, a grid of directions, and a sample in place of quadrature."""
    covariance, flips = np.diag([0.25, 4.0]), LabelFlips(0.2, 0.1)
    truth = np.array([np.cos(1.0), np.sin(1.0)])
    law = NoisyRegression(truth, np.zeros(2), covariance, flips.matrix, 0.0)
    inputs = np.random.default_rng(7).standard_normal((200_000, 2)) @ np.sqrt(covariance)
    inputs = np.vstack([inputs, -inputs])
    grid = np.linspace(0.2, 1.6, 281)
    directions = np.column_stack([np.cos(grid), np.sin(grid)])
    sampled = enumerated(inputs, truth, flips)
    values = np.array([sampled(theta)[0] for theta in directions])
    found = on_the_sphere(gaussian(law), truth)
    # The curve is flat at its top: the sampling error of the maximum is a few hundredths of a radian.
    assert np.arctan2(found[1], found[0]) == pytest.approx(grid[values.argmax()], abs=0.05)
    step = grid[1] - grid[0]
    at = int(np.abs(grid - 1.0).argmin())
    assert abs(values[at + 1] - values[at - 1]) / (2 * step) == pytest.approx(slope(law), rel=0.05)


def test_consistency_holds_where_the_prior_can_be_right() -> None:
    scores = _scores("consistency")
    limit = scores[np.isinf(scores["n"])].set_index(["inputs", "prior"])["error"]
    consistent = {(inputs, prior) for (inputs, prior), error in limit.items() if error < 1e-3}
    assert consistent == {
        ("factorised", "true"), ("factorised", "learned"), ("factorised", "joint"), ("correlated", "joint"),
    }  # fmt: skip
    assert limit[limit > 1e-3].min() > 0.1


def test_only_kl_is_consistent_on_single_observations() -> None:
    scores = _scores("divergences")
    exact = scores[np.isinf(scores["n"]) & (scores["theta0"] == 0.8)]
    error = (
        (exact["theta"] - exact["theta0"]).abs().groupby([exact["target"], exact["states"], exact["divergence"]]).max()
    )
    assert error["frequencies"].max() < 1e-4
    two, three = error["datum", 2], error["datum", 3]
    assert set(two[two < 1e-3].index) == {"kl", "one_sided_square"}
    assert set(three[three < 1e-3].index) == {"kl"}


def test_privacy_is_stated_for_every_level() -> None:
    scores = _scores("privacy").set_index(["noise", "level", "unit", "delta"])["epsilon"]
    assert scores["label_flip", 0.1, "label", 0.0] == pytest.approx(np.log(9))
    assert scores["pixel_flip", 0.4, "pixel", 0.0] == pytest.approx(np.log(0.6 * 255 / 0.4))
    assert scores["pixel_flip", 0.4, "image", 0.0] == pytest.approx(784 * np.log(0.6 * 255 / 0.4))
    assert 1000 < scores["pixel_flip", 0.4, "image", 1e-5] < scores["pixel_flip", 0.4, "image", 0.0]
