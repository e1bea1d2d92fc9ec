"""Section 6.1, the owner: Gaussian noise on the pixels, flipped labels."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from replication.arrays import Fields, Named
from replication.papers.spread.digits import Veil, draw_digits, scale_pixels, veil_digits
from replication.papers.spread.gaussian.settings import Release
from replication.randomness import Trial
from unveil.mechanisms.flips import LabelFlips
from unveil.mechanisms.gaussian_noise import GaussianInputNoise
from unveil.types import Array


def release(fields: Fields, trial: Trial, settings: Release) -> Named:
    """Noisy images and labels at every variance."""
    flips = LabelFlips(settings.label_flip).release
    veils = {(variance,): (_noise(variance), flips) for variance in settings.variances}
    return veil_digits(draw_digits(fields, trial, settings)[0], veils, trial)


def _noise(variance: float) -> Veil:
    """ASSUME: the images are sent in half precision, whose rounding is a thousandth of the noise."""

    def noisy(images: Array, rng: Generator) -> Array:
        return GaussianInputNoise(variance).release(scale_pixels(images), rng).astype(np.float16)

    return noisy
