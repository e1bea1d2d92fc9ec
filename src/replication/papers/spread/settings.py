"""What several figures of the paper can be asked for."""

from __future__ import annotations

from typing import Literal

from replication.settings import Count, Flip, Grid, Positive, Rising, settings

#: How the true label enters an importance sample: drawn with each, or summed over.
Labels = Literal["sampled", "summed"]
#: What noise there is on pixels.
Noise = Literal["pixel_flip", "gaussian"]


@settings
class Digits:
    """How many images of each digit are drawn to train on and to test with, these clean and held out."""

    train: Count = 250
    test: Count = 900


@settings
class Flipped(Digits):
    """Digits whose pixels and labels are flipped alike, at several levels."""

    p_flips: Grid[Flip] = (0.1, 0.2, 0.3, 0.4)


@settings
class Checkpoints:
    """After how many iterations every method is judged."""

    iterations: Rising[Count] = (50, 200, 400)


@settings
class Ascent(Checkpoints):
    """How every method ascends: `rate` on the mean gradient."""

    rate: Positive = 0.1
