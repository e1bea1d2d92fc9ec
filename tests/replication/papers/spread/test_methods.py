"""The methods of figure 3 on easy synthetic digits, and the stages around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest
from numpy.random import default_rng

from replication import style
from replication.arrays import Fields, Named
from replication.papers.spread.digits import Part, choose
from replication.papers.spread.fig3 import draw as fig3_draw
from replication.papers.spread.fig3 import learn as fig3_learn
from replication.papers.spread.fig3 import release as fig3_release
from replication.papers.spread.fig3 import score as fig3_score
from replication.papers.spread.fig3.learn import METHODS, Seen
from replication.papers.spread.fig3.settings import Learn, Method
from replication.papers.spread.fig3.settings import Score as Fig3Score
from replication.papers.spread.gaussian import draw as gaussian_draw
from replication.papers.spread.gaussian import learn as gaussian_learn
from replication.papers.spread.gaussian import release as gaussian_release
from replication.papers.spread.gaussian import score as gaussian_score
from replication.papers.spread.gaussian import settings as gaussian_settings
from replication.papers.spread.samples import draw as samples_draw
from replication.papers.spread.samples import learn as samples_learn
from replication.papers.spread.samples import release as samples_release
from replication.papers.spread.samples import score as samples_score
from replication.papers.spread.samples import settings as samples_settings
from replication.papers.spread.settings import Flipped
from replication.randomness import Trial
from unveil.errors import UnveilError
from unveil.mechanisms.flips import PixelFlips

SIZE: dict[str, Any] = {"train": 60, "test": 50}
FLIPPED = Flipped(p_flips=(0.1, 0.3), **SIZE)


def _settings(*methods: Method) -> Learn:
    return Learn(
        methods=methods, p_flips=FLIPPED.p_flips, rate=0.5, iterations=(10, 60), samples=5,
        penalties=(0.01, 0.1), folds=3, **SIZE,
    )  # fmt: skip


def _fields() -> Fields:
    """Sevens bright on the left, nines on the right; nothing else."""
    rng = default_rng(80)
    labels = np.where(rng.random(600) < 0.5, 7, 9).astype(np.uint8)
    bright = (np.arange(64) % 8 < 4) == (labels[:, None] == 7)
    images = np.where(bright, 170, 60) + rng.integers(-60, 60, (600, 64))
    split = (np.arange(600) > 300).astype(np.uint8)
    return {"mnist": {"images": images.astype(np.uint8), "labels": labels, "split": split}}


def _trial(stage: str, figure: str = "fig3", number: int = 0) -> Trial:
    return Trial(1, "spread", figure, stage, "arm", number)


def _scored(methods: Sequence[Method]) -> pd.DataFrame:
    """Figure 3 in two trials, with as many arms as it has."""
    fields, trials = _fields(), [_trial("score", number=number) for number in range(2)]
    cheats: tuple[Method, ...] = ("clean", "spread_true")
    arms: dict[str, tuple[Sequence[Method], Fields]] = {
        "private": ([method for method in methods if method not in cheats], {}),
        "peeking": ([method for method in methods if method in cheats], fields),
    }
    learned: dict[str, list[Named]] = {arm: [] for arm in arms}
    for trial in trials:
        released = fig3_release.release(fields, _trial("release", number=trial.number), FLIPPED)
        assert set(released) == {(what, i) for what in ("images", "labels") for i in range(2)}
        for arm, (chosen, public) in arms.items():
            learner = _trial("learn", number=trial.number)
            learned[arm].append(fig3_learn.learn({"noisy": released}, public, learner, _settings(*chosen)))
    settings = Fig3Score(p_flips=FLIPPED.p_flips, iterations=(10, 60), **SIZE)
    return fig3_score.score(learned, fields, trials, settings)


def test_every_method_of_figure_3_learns_easy_digits() -> None:
    scores = _scored(get_args(Method))
    assert list(scores.columns) == fig3_score.COLUMNS
    assert len(scores) == len(METHODS) * 2 * 2 * 2
    assert set(METHODS) == set(get_args(Method)) == set(scores["method"])
    assert (scores["accuracy"] > 0.9).all()
    clean = scores[scores["method"] == "clean"].groupby(["iterations", "trial"])["accuracy"]
    assert (clean.max() == clean.min()).all(), "clean training does not depend on the noise"
    with style.applied():
        lines = fig3_draw.draw(scores).axes[0].get_lines()
    assert len(lines) == 5


@pytest.mark.parametrize("method", ["clean", "spread_true"])
def test_cheats_need_a_peek(method: Method) -> None:
    released = fig3_release.release(_fields(), _trial("release"), FLIPPED)
    with pytest.raises(UnveilError, match="peeks"):
        fig3_learn.learn({"noisy": released}, {}, _trial("learn"), _settings(method))


def test_trials_choose_other_digits_and_stages_the_same() -> None:
    def train(trial: Trial) -> Part:
        return choose(_fields()["mnist"], 60, 50, trial.public)[0]

    first = train(_trial("release")).images
    assert np.array_equal(first, train(_trial("score")).images)
    assert not np.array_equal(first, train(_trial("release", number=1)).images)


def test_class_means_undo_the_flips_in_their_threshold() -> None:
    # Unequal brightness: without debiasing, the threshold would sit far from the clean classes' middle.
    rng = default_rng(81)
    labels = rng.integers(0, 2, 4000)
    images = np.where(labels[:, None] == 1, 40, 10) + rng.integers(0, 5, (4000, 6))
    noisy = Part(PixelFlips(0.4).release(images.astype(np.uint8), rng), labels)
    weights, intercepts = METHODS["class_means"](Seen(noisy, 0.4), _settings(), rng)
    assert weights.shape == (2, 6)
    guess = images / 255 @ weights[0] + intercepts[0] > 0
    assert (guess == labels).mean() == 1


@pytest.mark.parametrize("method", ["noisy", "noisy_l2_centred", "class_means"])
def test_plain_methods_do_not_depend_on_the_generator(method: Method) -> None:
    rng = default_rng(82)
    seen = Seen(Part(rng.integers(0, 256, (50, 9), dtype=np.uint8), rng.integers(0, 2, 50)), 0.2)
    one, other = (METHODS[method](seen, _settings(), default_rng(seed)) for seed in (1, 2))
    assert np.array_equal(one[0], other[0])


def test_samples_stages_agree_on_their_grid() -> None:
    fields = _fields()
    kinds: dict[str, Any] = {
        "p_flips": (0.2,), "levels": {"pixel": (1, 4), "z": (1, 4, 8)}, "labels": ("sampled", "summed"), **SIZE
    }  # fmt: skip
    released = samples_release.release(fields, _trial("release", "samples"), Flipped(p_flips=(0.2,), **SIZE))
    settings = samples_settings.Learn(rate=0.5, steps=40, **kinds)
    learned = samples_learn.learn({"noisy": released}, {}, _trial("learn", "samples"), settings)
    scores = samples_score.score(
        {"spread": [learned]}, fields, [_trial("score", "samples")], samples_settings.Score(**kinds)
    )
    assert list(scores.columns) == samples_score.COLUMNS
    assert len(scores) == 2 * (2 + 3)
    # One sample of the label is pure chance after the flips: θ stays shorter than with the label summed.
    norms = scores[scores["samples"] == 1].groupby("labels")["theta_norm"].mean()
    assert norms["sampled"] < norms["summed"]
    with style.applied():
        assert len(samples_draw.draw(scores).axes[0].containers) == 4


def test_gaussian_stages_make_the_table() -> None:
    fields = _fields()
    veil: dict[str, Any] = {"variances": (0.1,), **SIZE}
    kinds: dict[str, Any] = {"samples": (2, 5), "labels": ("sampled", "summed"), "iterations": (5, 40), **veil}
    trials = [_trial("score", "gaussian", number) for number in range(2)]
    settings = gaussian_settings.Learn(label_flip=0.2, prior=(0.0, 10.0), rate=0.2, **kinds)
    learned: dict[str, list[Named]] = {"private": [], "peeking": []}
    for trial in trials:
        owner, learner = (_trial(stage, "gaussian", trial.number) for stage in ("release", "learn"))
        sent = gaussian_release.release(fields, owner, gaussian_settings.Release(label_flip=0.2, **veil))
        assert sent["images", 0].dtype == np.float16
        learned["private"].append(gaussian_learn.learn({"noisy": sent}, {}, learner, settings))
        learned["peeking"].append(gaussian_learn.learn({}, fields, learner, settings))
    scores = gaussian_score.score(learned, fields, trials, gaussian_settings.Score(**kinds))
    assert list(scores.columns) == gaussian_score.COLUMNS
    assert len(scores) == 2 * 2 * (2 + 4)
    assert (scores.loc[scores["iterations"] == 40, "test_accuracy"] > 0.9).all()
    table = gaussian_draw.table(scores)
    assert len(table) == 2 * (2 + 4)
    assert (table.loc[(table["method"] == "clean data") & (table["iterations"] == 40), "loss %"] == "0.00 ± 0.00").all()
