"""What figure 4 can be asked for."""

from __future__ import annotations

from replication.papers.linear_moments.settings import Model, Range
from replication.settings import Count, Real, settings


@settings
class Score:
    """The family, the truth, and the size of the sample."""

    model: Model
    theta: Real
    observations: Count
    theta_range: Range
    points: Count


@settings
class Figure:
    """The figure's stages and their arms."""

    score: Score
