"""What the pictures of noisy digits can be asked for."""

from __future__ import annotations

from replication.papers.spread.settings import Noise
from replication.settings import Grid, Positive, settings
from unveil.errors import require


@settings
class Score:
    """A kind of noise and its levels: how often a pixel is flipped, or the variance of what is added."""

    noise: Noise
    levels: Grid[Positive]

    def __post_init__(self) -> None:
        drawable = self.noise != "pixel_flip" or max(self.levels) < 0.5
        require(drawable, "levels of pixel_flip must be less than 0.5")
