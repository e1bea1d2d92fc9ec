"""What the map of winners can be asked for."""

from __future__ import annotations

from typing import Literal

from replication.papers.crossover.epsilon.settings import Asked, Learn, Release
from replication.settings import Inside, settings


@settings
class Score(Asked):
    """The level of all intervals together."""

    level: Inside = 0.95


@settings
class Figure:
    """The arms of every stage."""

    release: dict[Literal["labels"], Release]
    learn: dict[Literal["linear"], Learn]
    score: Score
