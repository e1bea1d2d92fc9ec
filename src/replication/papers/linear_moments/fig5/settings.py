"""What figure 5 can be asked for."""

from __future__ import annotations

from replication.papers.linear_moments.settings import Curve
from replication.settings import settings


@settings
class Score(Curve):
    """The model, and the grid of θ."""
