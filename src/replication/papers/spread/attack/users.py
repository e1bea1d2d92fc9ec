"""Who is attacked, by what noise they are veiled, and what the attacker has of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from replication.arrays import Fields
from replication.papers.spread.attack.settings import Levels
from replication.papers.spread.digits import DIGITS, STATES, Part, Veil, blur_pixels, take_digits
from replication.papers.spread.settings import Noise
from replication.randomness import Trial
from unveil.errors import require
from unveil.mechanisms.flips import LabelFlips, PixelFlips
from unveil.types import Array


class Channel(NamedTuple):
    """One level of one kind of noise: what it does to images and to labels, and how often it flips a label."""

    noise: Noise
    level: float
    images: Veil
    labels: Veil
    label_flip: float


def channels(levels: Levels) -> Iterator[Channel]:
    """Every noise of sections 6 and 6.1: flips of pixels and labels alike, and Gaussian noise with a flipped label."""
    for p in levels.p_flips:
        yield Channel("pixel_flip", p, PixelFlips(p, STATES).release, LabelFlips(p).release, p)
    for variance in levels.variances:
        noisy = blur_pixels(variance)
        yield Channel("gaussian", variance, noisy, LabelFlips(levels.label_flip).release, levels.label_flip)


def candidates(fields: Fields, trial: Trial, levels: Levels) -> Array:
    """The rows of sevens and nines whose images are known to all, users among them, in random order."""
    found = _rows(fields["mnist"], 0)
    require(len(found) >= levels.candidates, f"there are only {len(found)} sevens and nines, not {levels.candidates}")
    return trial.public.permutation(found)[: levels.candidates]


def users(fields: Fields, trial: Trial, levels: Levels) -> Array:
    """Which of the candidates are the users."""
    listed = candidates(fields, trial, levels)
    return trial.public.spawn(1)[0].choice(listed, levels.users, replace=False)


def own_digits(fields: Fields) -> Part:
    """The attacker's own labelled digits: MNIST's test part, where no user is."""
    return take_digits(fields["mnist"], _rows(fields["mnist"], 1))


def _rows(mnist: Mapping[str, Array], part: int) -> Array:
    return np.flatnonzero(np.isin(mnist["labels"], DIGITS) & (mnist["split"] == part))
