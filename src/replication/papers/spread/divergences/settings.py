"""What the study of other divergences can be asked for."""

from __future__ import annotations

from replication.settings import Count, Flip, Grid, Probability, Steps, settings


@settings
class Score:
    """Flip probabilities, numbers of observations, true shares; and how many of them in the limit of much data."""

    p_flips: Grid[Flip] = (0.1, 0.3)
    sizes: Grid[Count] = (100, 1000)
    truths: Grid[Probability] = (0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95)
    points: Steps = 41
