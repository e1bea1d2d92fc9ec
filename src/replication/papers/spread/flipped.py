"""What the owners of figure 3 and of the study of samples let out."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.random import Generator

from unveil.mechanisms.flips import LabelFlips, PixelFlips
from unveil.types import Array, Arrays


def flipped_digits(images: Array, labels: Array, p_flips: Sequence[float], rng: Generator) -> Arrays:
    """Noisy images `images_i` and labels `labels_i`, both flipped with probability `p_flips[i]`."""
    released = {}
    for i, p_flip in enumerate(p_flips):
        released[f"images_{i}"] = PixelFlips(p_flip).release(images, rng)
        released[f"labels_{i}"] = LabelFlips(p_flip).release(labels, rng)
    return released
