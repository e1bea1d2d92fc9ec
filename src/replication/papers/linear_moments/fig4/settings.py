"""What figure 4 can be asked for."""

from __future__ import annotations

from replication.papers.linear_moments.settings import Curve
from replication.settings import Count, Real, settings


@settings
class Score(Curve):
    """The family, the truth, and the size of the sample."""

    theta: Real
    observations: Count
