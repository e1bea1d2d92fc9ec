"""What figure 4 can be asked for."""

from __future__ import annotations

from replication.papers.linear_moments.settings import Curve, Model, Range
from replication.settings import Count, Real, Steps, settings


@settings
class Score(Curve):
    """The family, the truth, and the size of the sample."""

    model: Model = Model(statistics=(5.0, -1.0, 0.0))
    theta_range: Range = (-12.0, 12.0)
    points: Steps = 961
    theta: Real = 0.3
    observations: Count = 60
