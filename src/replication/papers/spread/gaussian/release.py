"""Section 6.1, the owner: Gaussian noise on the pixels, flipped labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from replication.papers.spread.digits import choose
from replication.randomness import Trial
from unveil.mechanisms.flips import LabelFlips
from unveil.mechanisms.gaussian_noise import GaussianInputNoise
from unveil.types import Arrays


def release(
    fields: Mapping[str, Arrays],
    trial: Trial,
    *,
    variances: Sequence[float],
    label_flip: float,
    train: int,
    test: int,
) -> Arrays:
    """Noisy images `images_i` and labels `labels_i` at `variances[i]`.

    ASSUME: the images are sent in half precision, whose rounding is a thousandth of the noise.
    """
    digits = choose(fields["mnist"], train, test, trial.public)
    images = fields["mnist"]["images"][digits.train].astype(np.float32) / 255
    released = {}
    for i, variance in enumerate(variances):
        released[f"images_{i}"] = GaussianInputNoise(variance).release(images, trial.rng).astype(np.float16)
        released[f"labels_{i}"] = LabelFlips(label_flip).release(digits.train_labels, trial.rng)
    return released
