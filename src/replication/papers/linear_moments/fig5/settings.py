"""What figure 5 can be asked for."""

from __future__ import annotations

from replication.papers.linear_moments.settings import Curve
from replication.settings import settings


@settings
class Figure:
    """The figure's stages and their arms."""

    score: Curve
