"""What figure 5 can be asked for."""

from __future__ import annotations

from replication.papers.linear_moments.settings import Curve, Model, Range
from replication.settings import Steps, settings


@settings
class Score(Curve):
    """The model, and the grid of θ."""

    model: Model = Model(statistics=(2.0, 1.0, 0.0))
    theta_range: Range = (-6.0, 6.0)
    points: Steps = 481
