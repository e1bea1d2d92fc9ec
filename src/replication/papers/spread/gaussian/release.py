"""Section 6.1, the owner: Gaussian noise on the pixels, flipped labels."""

from __future__ import annotations

import numpy as np

from replication.arrays import Fields, Named
from replication.papers.spread.digits import Veil, blur_pixels, draw_digits, veil_digits
from replication.papers.spread.gaussian.settings import Release
from replication.randomness import Trial
from unveil.mechanisms.flips import LabelFlips


def release(fields: Fields, trial: Trial, settings: Release) -> Named:
    """Noisy images and labels at every variance."""
    flips = LabelFlips(settings.label_flip).release
    veils = {(variance,): (_noise(variance), flips) for variance in settings.variances}
    return veil_digits(draw_digits(fields, trial, settings)[0], veils, trial)


def _noise(variance: float) -> Veil:
    """ASSUME: the images are sent in half precision, whose rounding is a thousandth of the noise."""

    add_noise = blur_pixels(variance)
    return lambda images, rng: add_noise(images, rng).astype(np.float16)
