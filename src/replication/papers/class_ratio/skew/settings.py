"""What the skew study can be asked for."""

from __future__ import annotations

from typing import Literal

from replication.papers.class_ratio.settings import Demand, Designed, Veiled
from replication.settings import Nothing, settings


@settings
class Score(Designed, Demand):
    """The designs, and what the scale of the training sets has to keep."""


@settings
class Figure:
    """Its stages."""

    release: dict[Literal["sets"], Veiled]
    learn: dict[Literal["mmd"], Nothing]
    score: Score
