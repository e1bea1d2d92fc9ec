"""What figure 5 can be asked for."""

from __future__ import annotations

from replication.papers.linear_moments.settings import Model, Range
from replication.settings import Count, settings


@settings
class Score:
    """The family, and the grid of θ."""

    model: Model
    theta_range: Range
    points: Count


@settings
class Figure:
    """The figure's stages and their arms."""

    score: Score
