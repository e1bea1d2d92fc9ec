"""The attack on released digits: strong where the noise is weak, and no better than guessing where it tells nothing."""

from __future__ import annotations

from itertools import product
from math import log
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.random import default_rng

from replication.arrays import Named
from replication.palette import METHODS
from replication.papers.spread.attack.learn import best_match, nearness
from replication.papers.spread.attack.users import candidates, channels, own_digits, users
from replication.randomness import Trial
from small_digits import small_digits
from stages import drawn, module, run, scored, settings_of
from unveil.mechanisms.flips import PixelFlips

VALUES: dict[str, Any] = {
    "users": 40, "candidates": 120, "p_flips": [0.1, 0.4], "variances": [0.1], "label_flip": 0.2, "copies": 2,
    "l2s": [0.001, 0.1], "folds": 3, "sure": 0.95,
}  # fmt: skip
FIELDS = small_digits(90, 150, 80)
LEVELS = settings_of("spread.attack", "release", VALUES)


@pytest.fixture(scope="module")
def learned() -> list[Named]:
    sent = [run("spread.attack", "release", "noisy", n, [FIELDS], VALUES) for n in range(2)]
    return [run("spread.attack", "learn", "attacker", n, [{"noisy": sent[n]}, FIELDS], VALUES) for n in range(2)]


@pytest.fixture(scope="module")
def scores(learned: list[Named]) -> pd.DataFrame:
    return scored("spread.attack", 2, VALUES, {"attacker": learned}, FIELDS)


def test_every_attack_is_there_once(scores: pd.DataFrame) -> None:
    assert not scores.duplicated(["noise", "level", "attack", "trial"]).any()
    assert len(scores) == 2 * 3 * 4
    assert set(scores["attack"]) <= set(METHODS)
    assert scores["success"].between(0, 1).all()


def test_weak_noise_gives_all_away_and_the_image_tells_more_than_the_report(scores: pd.DataFrame) -> None:
    means = scores[scores["noise"] == "pixel_flip"].groupby(["level", "attack"])["success"].mean()
    assert means[0.1, "identity"] == 1
    assert means[0.1, "label_image"] > 0.9
    assert means[0.4, "label_image"] > means[0.4, "label_report"]
    assert means[0.4, "label_pair"] >= means[0.4, "label_image"] - 0.05


def test_reports_are_right_as_often_as_they_are_not_flipped(learned: list[Named]) -> None:
    """Their log-odds are those of the flips: the attacker is not surer of them than it may be."""
    for i, p in enumerate(VALUES["p_flips"]):
        assert np.abs(learned[0]["label_report", i]) == pytest.approx(log((1 - p) / p))


def test_the_owner_releases_noisy_pairs_and_nothing_else() -> None:
    found = run("spread.attack", "release", "noisy", 0, [FIELDS], VALUES)
    assert set(found) == set(product(("images", "labels"), range(3)))
    assert found["images", 0].shape == (40, 64)


def test_users_are_among_the_candidates_and_not_among_the_attackers_digits() -> None:
    trial = Trial(1, "spread", "attack", "score", "score", 0)
    listed, attacked = candidates(FIELDS, trial, LEVELS), users(FIELDS, trial, LEVELS)
    assert set(attacked) <= set(listed)
    assert len(set(attacked)) == 40
    assert (FIELDS["mnist"]["split"][listed] == 0).all()
    assert len(own_digits(FIELDS).labels) == (FIELDS["mnist"]["split"] == 1).sum()


def test_the_best_match_is_the_likeliest() -> None:
    """Against the log-likelihoods written out, pixel by pixel."""
    rng = default_rng(91)
    known = rng.integers(0, 256, (300, 20)).astype(np.uint8)
    veil = PixelFlips(0.5)
    sent = veil.release(known[:30], rng)
    matrix = np.log(veil.matrix)
    likelihood = np.array([[matrix[image, clean].sum() for clean in known] for image in sent])
    assert np.array_equal(best_match(sent, known, "pixel_flip"), likelihood.argmax(axis=1))
    noisy = known[:30] / 255 + rng.normal(0, 0.7, (30, 20))
    squares = ((noisy[:, None] - known / 255) ** 2).sum(axis=2)
    assert np.array_equal(best_match(noisy, known, "gaussian"), squares.argmin(axis=1))
    assert nearness(noisy, known).shape == (30, 300)


def test_channels_say_what_they_do() -> None:
    images, rng = np.full((2000, 10), 128, dtype=np.uint8), default_rng(92)
    for channel in channels(LEVELS):
        labels = channel.labels(np.zeros(50_000, dtype=np.uint8), rng)
        assert labels.mean() == pytest.approx(channel.label_flip, abs=0.012)
        sent = channel.images(images, rng)
        if channel.noise == "pixel_flip":
            assert (sent != 128).mean() == pytest.approx(channel.level, abs=0.02)
        else:
            assert sent.var() == pytest.approx(channel.level, rel=0.05)


def test_figure_and_table(scores: pd.DataFrame) -> None:
    assert len(drawn("spread.attack", scores).axes) == 2
    assert len(module("spread.attack", "draw").table(scores)) == 12
