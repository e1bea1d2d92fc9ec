"""What every noise level is worth: the exact local privacy of a label, a pixel and a whole image."""

from __future__ import annotations

from math import sqrt
from typing import Any

import pandas as pd

from replication.papers.spread.privacy.settings import Score
from unveil.mechanisms.flips import LabelFlips, PixelFlips
from unveil.mechanisms.gaussian_noise import GaussianInputNoise

COLUMNS = ["noise", "level", "unit", "epsilon", "delta"]


def score(settings: Score) -> pd.DataFrame:
    """The smallest ε at δ = 0 where there is one, and at `delta`; images may differ in all their pixels."""
    pixels, delta = settings.pixels, settings.delta
    rows: list[tuple[Any, ...]] = []
    for p_flip in settings.p_flips:
        label, pixel = LabelFlips(p_flip), PixelFlips(p_flip, settings.states)
        rows += [
            ("label_flip", p_flip, "label", label.epsilon, 0.0),
            ("pixel_flip", p_flip, "pixel", pixel.epsilon, 0.0),
            ("pixel_flip", p_flip, "image", pixel.image_epsilon(pixels), 0.0),
            ("pixel_flip", p_flip, "image", pixel.image_epsilon(pixels, delta), delta),
        ]
    for variance in settings.variances:
        noise = GaussianInputNoise(variance)
        # Pixels lie in [0, 1]: two of them differ by at most 1, two images by √pixels.
        rows += [
            ("gaussian", variance, "pixel", noise.epsilon(delta, 1.0), delta),
            ("gaussian", variance, "image", noise.epsilon(delta, sqrt(pixels)), delta),
        ]
    return pd.DataFrame(rows, columns=COLUMNS)
