"""Figures 2 and 4: a seven and a nine as they leave their owner, pixel by pixel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.random import Generator

from replication.arrays import Fields
from replication.papers.spread.digits import DIGITS, choose
from replication.papers.spread.fig2.settings import Score
from replication.papers.spread.settings import Noise
from replication.randomness import Trial
from unveil.mechanisms.flips import PixelFlips
from unveil.mechanisms.gaussian_noise import GaussianInputNoise
from unveil.types import Array

COLUMNS = ["digit", "noise", "level", "row", "column", "pixel"]
SIDE = 28
#: From images in 256 states to noisy ones on the scale of [0, 1].
NOISES: dict[Noise, Callable[[Array, float, Generator], Array]] = {
    "pixel_flip": lambda images, level, rng: PixelFlips(level).release(images, rng) / 255,
    "gaussian": lambda images, level, rng: GaussianInputNoise(level).release(images / 255, rng),
}


def score(fields: Fields, trials: Sequence[Trial], settings: Score) -> pd.DataFrame:
    """Clean (level 0) and at every level of the noise; one digit of each kind, drawn at random."""
    trial, noisy = trials[0], NOISES[settings.noise]
    digits, _ = choose(fields["mnist"], 1, 1, trial.public)
    shown = {level: noisy(digits.images, level, trial.rng_of(level)) for level in settings.levels}
    return grid({0.0: digits.images / 255, **shown}, digits.labels, settings.noise)


def grid(pictures: Mapping[float, Array], labels: Array, noise: Noise) -> pd.DataFrame:
    """One row a pixel, from images (n, 784) at every noise level."""
    rows, columns = np.divmod(np.arange(SIDE**2), SIDE)
    parts = [
        pd.DataFrame({"digit": DIGITS[label], "level": level, "row": rows, "column": columns, "pixel": image})
        for level, images in pictures.items()
        for image, label in zip(images, labels, strict=True)
    ]
    table = pd.concat(parts, ignore_index=True).assign(noise=noise)[COLUMNS]
    return table.sort_values(["digit", "level", "row", "column"], ignore_index=True)
