"""What several figures of the paper can be asked for."""

from __future__ import annotations

from typing import Literal

from replication.settings import Count, Inside, Positive, settings

#: How the true label enters an importance sample.
Labels = Literal["sampled", "summed"]


@settings
class Digits:
    """How many images of each digit are drawn to train on and to test with."""

    train: Count
    test: Count


@settings
class Flipped(Digits):
    """Digits whose pixels and labels are flipped alike, at several levels."""

    p_flips: tuple[Inside, ...]


@settings
class Checkpoints:
    """After how many iterations every method is judged."""

    iterations: tuple[Count, ...]


@settings
class Ascent(Checkpoints):
    """How every method ascends: `rate` on the mean gradient."""

    rate: Positive
