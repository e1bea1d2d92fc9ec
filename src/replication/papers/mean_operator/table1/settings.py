"""What table 1 can be asked for."""

from __future__ import annotations

from replication.settings import Count, Positive, Probability, settings


@settings
class Score:
    """The grid of margins, and the parameters of two losses."""

    reach: Positive
    points: Count
    rho: Positive
    mixture_weight: Probability


@settings
class Figure:
    """The referee works alone."""

    score: Score
