"""What the pictures of noisy digits can be asked for."""

from __future__ import annotations

from replication.papers.spread.settings import Noise
from replication.settings import Positive, settings


@settings
class Score:
    """A kind of noise and its levels: how often a pixel is flipped, or the variance of what is added."""

    noise: Noise
    levels: tuple[Positive, ...]
