"""The methods of figure 3 on easy synthetic digits, and the stages around them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

from replication.papers.spread.digits import choose
from replication.papers.spread.fig3 import learn as fig3_learn
from replication.papers.spread.fig3 import release as fig3_release
from replication.papers.spread.fig3 import score as fig3_score
from replication.papers.spread.gaussian import draw as gaussian_draw
from replication.papers.spread.gaussian import learn as gaussian_learn
from replication.papers.spread.gaussian import release as gaussian_release
from replication.papers.spread.gaussian import score as gaussian_score
from replication.papers.spread.methods import METHODS, Schedule, Seen
from replication.papers.spread.samples import learn as samples_learn
from replication.papers.spread.samples import score as samples_score
from replication.randomness import Trial
from unveil.errors import UnveilError
from unveil.types import Array, Arrays

SIZE: dict[str, Any] = {"train": 60, "test": 50}
SCHEDULE = Schedule(0.5, [10, 60], 5, [0.01, 0.1], 3)


def _mnist() -> dict[str, Array]:
    """Sevens bright on the left, nines on the right; nothing else."""
    rng = default_rng(80)
    labels = np.where(rng.random(600) < 0.5, 7, 9).astype(np.uint8)
    bright = (np.arange(64) % 8 < 4) == (labels[:, None] == 7)
    images = np.where(bright, 170, 60) + rng.integers(-60, 60, (600, 64))
    return {
        "images": images.astype(np.uint8),
        "labels": labels,
        "split": (np.arange(600) > 300).astype(np.uint8),
    }


def _trial(stage: str, figure: str = "fig3", number: int = 0) -> Trial:
    return Trial(1, "spread", figure, stage, "arm", number)


def _learned(trial: int) -> dict[str, Arrays]:
    fields = {"mnist": _mnist()}
    released = fig3_release.release(fields, _trial("release", number=trial), p_flips=[0.1, 0.3], **SIZE)
    assert set(released) == {"images_0", "labels_0", "images_1", "labels_1"}
    settings: dict[str, Any] = {
        "p_flips": [0.1, 0.3], "rate": 0.5, "iterations": [10, 60], "samples": 5, "penalties": [0.01, 0.1],
        "folds": 3, **SIZE,
    }  # fmt: skip
    private = [name for name in METHODS if name not in ("clean", "spread_true")]
    arms = {"private": (private, {}), "peeking": (["clean", "spread_true"], fields)}
    return {
        arm: fig3_learn.learn(
            {"noisy": released}, public, _trial("learn", number=trial), methods=methods, **settings
        )
        for arm, (methods, public) in arms.items()
    }


def test_every_method_of_figure_3_learns_easy_digits() -> None:
    learned = [_learned(trial) for trial in range(2)]
    scores = fig3_score.score(
        {arm: [one[arm] for one in learned] for arm in learned[0]},
        {"mnist": _mnist()},
        [_trial("score", number=number) for number in range(2)],
        p_flips=[0.1, 0.3],
        iterations=[10, 60],
        **SIZE,
    )
    assert list(scores.columns) == fig3_score.COLUMNS
    assert len(scores) == len(METHODS) * 2 * 2 * 2
    assert (scores["accuracy"] > 0.9).all()
    clean = scores[scores["method"] == "clean"].groupby(["iterations", "trial"])["accuracy"]
    assert (clean.nunique() == 1).all(), "clean training does not depend on the noise"


def test_clean_needs_a_peek() -> None:
    released = fig3_release.release({"mnist": _mnist()}, _trial("release"), p_flips=[0.1], **SIZE)
    with pytest.raises(UnveilError, match="peeks"):
        fig3_learn.learn(
            {"noisy": released}, {}, _trial("learn"), methods=["clean"], p_flips=[0.1], rate=0.5, iterations=[2],
            samples=1, penalties=[0.1], folds=2, **SIZE,
        )  # fmt: skip


def test_trials_choose_other_digits_and_stages_the_same() -> None:
    mnist = _mnist()
    first = choose(mnist, 60, 50, _trial("release").public)
    assert np.array_equal(first.train, choose(mnist, 60, 50, _trial("score").public).train)
    assert not np.array_equal(first.train, choose(mnist, 60, 50, _trial("release", number=1).public).train)


def test_class_means_undo_the_flips_in_their_threshold() -> None:
    # Unequal brightness: without debiasing, the threshold would sit far from the clean classes' middle.
    rng = default_rng(81)
    labels = rng.integers(0, 2, 4000)
    images = np.where(labels[:, None] == 1, 40, 10) + rng.integers(0, 5, (4000, 6))
    from unveil.mechanisms.flips import PixelFlips

    noisy = PixelFlips(0.4).release(images.astype(np.uint8), rng)
    weights, intercepts = METHODS["class_means"](Seen(noisy, labels, 0.4), SCHEDULE, rng)
    assert weights.shape == (2, 6)
    guess = images / 255 @ weights[0] + intercepts[0] > 0
    assert (guess == labels).mean() == 1


def test_plain_methods_do_not_depend_on_the_generator() -> None:
    rng = default_rng(82)
    seen = Seen(rng.integers(0, 256, (50, 9), dtype=np.uint8), rng.integers(0, 2, 50), 0.2)
    for name in ("noisy", "noisy_l2_centred", "class_means"):
        one, other = (METHODS[name](seen, SCHEDULE, default_rng(seed)) for seed in (1, 2))
        assert np.array_equal(one[0], other[0])


def test_samples_stages_agree_on_their_grid() -> None:
    fields, levels = {"mnist": _mnist()}, {"pixel": [1, 4], "z": [1, 4, 8]}
    released = fig3_release.release(fields, _trial("release", "samples"), p_flips=[0.2], **SIZE)
    learned = samples_learn.learn(
        {"noisy": released}, {}, _trial("learn", "samples"), p_flips=[0.2], levels=levels,
        labels=["sampled", "summed"], rate=0.5, steps=40,
    )  # fmt: skip
    scores = samples_score.score(
        {"spread": [learned]}, fields, [_trial("score", "samples")], p_flips=[0.2], levels=levels,
        labels=["sampled", "summed"], **SIZE,
    )  # fmt: skip
    assert list(scores.columns) == samples_score.COLUMNS
    assert len(scores) == 2 * (2 + 3)
    # One sample of the label is pure chance after the flips: θ stays shorter than with the label summed.
    norms = scores[scores["samples"] == 1].groupby("labels")["theta_norm"].mean()
    assert norms["sampled"] < norms["summed"]


def test_gaussian_stages_make_the_table() -> None:
    fields = {"mnist": _mnist()}
    veil: dict[str, Any] = {"variances": [0.1], "label_flip": 0.2}
    kinds: dict[str, Any] = {"samples": [2, 5], "labels": ["sampled", "summed"], "iterations": [5, 40]}
    trials = [_trial("score", "gaussian", number) for number in range(2)]
    learned: dict[str, list[Arrays]] = {"private": [], "peeking": []}
    for trial in trials:
        released = gaussian_release.release(
            fields, _trial("release", "gaussian", trial.number), **veil, **SIZE
        )
        assert released["images_0"].dtype == np.float16
        for arm, public in (("private", {}), ("peeking", fields)):
            learned[arm].append(
                gaussian_learn.learn(
                    {"noisy": released}, public, _trial("learn", "gaussian", trial.number), prior=[0.0, 10.0],
                    rate=0.2, **veil, **kinds, **SIZE,
                )
            )  # fmt: skip
    scores = gaussian_score.score(learned, fields, trials, variances=[0.1], **kinds, **SIZE)
    assert list(scores.columns) == gaussian_score.COLUMNS
    assert len(scores) == 2 * 2 * (2 + 4)
    assert (scores.loc[scores["iterations"] == 40, "test_accuracy"] > 0.9).all()
    table = gaussian_draw.table(scores)
    assert len(table) == 2 * (2 + 4)
    assert (
        table.loc[(table["method"] == "clean data") & (table["iterations"] == 40), "loss %"] == "0.00 ± 0.00"
    ).all()
