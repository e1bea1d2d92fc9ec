"""What the pictures of noisy digits can be asked for."""

from __future__ import annotations

from typing import Literal

from replication.settings import Positive, settings

Noise = Literal["pixel_flip", "gaussian"]


@settings
class Score:
    """A kind of noise and its levels."""

    noise: Noise
    levels: tuple[Positive, ...]


@settings
class Figure:
    """The stages of the figure."""

    score: Score
