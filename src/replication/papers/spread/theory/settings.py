"""What the check of appendix B can be asked for."""

from __future__ import annotations

from replication.settings import Count, Positive, Probability, settings


@settings
class Score:
    """Flips of the labels (zero to one, one to zero), variances along the axes, and numbers of binary inputs."""

    label_flips: tuple[tuple[Probability, Probability], ...] = ((0.2, 0.2), (0.2, 0.1), (0.4, 0.1))
    variances: tuple[Positive, ...] = (0.25, 0.5, 1.0, 2.0, 4.0)
    inputs: tuple[Count, ...] = (4, 8, 10)
