"""What the skew study can be asked for."""

from __future__ import annotations

from replication.papers.class_ratio.settings import Demand, Designed, DesignedFigure
from replication.settings import settings


@settings
class Score(Designed, Demand):
    """The designs, and what the scale of the training sets has to keep."""


@settings
class Figure(DesignedFigure):
    """As figure 3, but for its referee."""

    score: Score
