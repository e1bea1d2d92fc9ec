"""What the check of appendix B can be asked for."""

from __future__ import annotations

from replication.settings import Count, Positive, Probability, settings


@settings
class Score:
    """Flips of the labels (zero to one, one to zero), variances along the axes, and numbers of binary inputs."""

    label_flips: tuple[tuple[Probability, Probability], ...]
    variances: tuple[Positive, ...]
    inputs: tuple[Count, ...]


@settings
class Figure:
    """The stages of the figure."""

    score: Score
