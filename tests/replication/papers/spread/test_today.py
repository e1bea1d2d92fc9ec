"""Whole records at exact levels: the levels of label and vector together, and what is learned from them."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from scipy.stats import norm

import stages
from replication.papers.spread.today.settings import Release
from replication.papers.spread.today.veils import VEILS, flip_of, joint_delta, paper_epsilons
from unveil.mechanisms.flips import PixelFlips
from unveil.privacy.gaussian import gaussian_delta


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 5.0])
def test_delta_of_label_and_vector_together_is_an_integral(epsilon: float) -> None:
    flip, shift = 0.2, 1.3
    grid, step = np.linspace(-12, 14, 400_001, retstep=True)
    here, there = norm.pdf(grid, shift), norm.pdf(grid)
    kept = np.maximum((1 - flip) * here - exp(epsilon) * flip * there, 0)
    turned = np.maximum(flip * here - exp(epsilon) * (1 - flip) * there, 0)
    found = joint_delta(lambda e: gaussian_delta(shift, e), epsilon, flip)
    assert found == pytest.approx((kept + turned).sum() * step, rel=1e-6)


@pytest.mark.parametrize("epsilon", [2.0, 16.0])
def test_veils_keep_what_is_asked(epsilon: float) -> None:
    settings = Release()
    gaussian, sphere = (VEILS[name](epsilon, settings) for name in ("gaussian", "sphere"))
    shift = 2 / np.sqrt(gaussian.variance)
    assert joint_delta(lambda e: gaussian_delta(shift, e), epsilon, gaussian.flip) == pytest.approx(settings.delta)
    assert log((1 - sphere.flip) / sphere.flip) == pytest.approx(settings.label_share * epsilon)
    rows = np.eye(settings.components)[[3] * 50_000]
    noise = sphere.noise(rows, np.random.default_rng(0)) - rows
    assert noise.var(axis=0).mean() == pytest.approx(sphere.variance, rel=0.02)


def test_the_papers_noise_on_one_pixel_is_enumerated() -> None:
    flip, settings = 0.4, Release(p_flips=(0.4,), delta=1e-5)
    (found,) = paper_epsilons(settings, 1)
    veil = PixelFlips(flip)
    # Another state of the pixel and another label: the likeliest loss is both at once.
    assert found <= veil.epsilon + log((1 - flip) / flip)
    assert joint_delta(lambda e: veil.image_delta(e, 1), found, flip) == pytest.approx(settings.delta, rel=1e-4)
    assert flip_of(log((1 - flip) / flip)) == pytest.approx(flip)


def test_from_release_to_picture() -> None:
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 700).astype(np.uint8)
    rows = rng.normal(size=(1400, 30)) * 0.1
    rows[:, 0] += np.where(labels == 1, 1, -1)
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    fields = {"census": {"unit_features": rows, "labels": labels, "split": np.tile([0, 0, 1, 0], 350)}}
    asked = {
        "epsilons": (30.0, 40.0),
        "train": 400,
        "test": 150,
        "components": 5,
        "p_flips": (0.1,),
        "variances": (0.01,),
    }
    learned = []
    for number in range(3):
        released = stages.run("spread.today", "release", "records", number, [fields], asked)
        learned.append(stages.run("spread.today", "learn", "records", number, [{"records": released}, {}], asked))
    scores = stages.scored("spread.today", 3, asked, {"records": learned}, fields)
    assert scores.groupby("method")["error"].mean().max() < 0.2
    stages.drawn("spread.today", scores)
