"""What the reconstruction figure can be asked for."""

from __future__ import annotations

from math import inf

from replication.papers.mean_operator.settings import Dataset, Levels
from replication.settings import Grid, Positive, settings


@settings
class Learn:
    """What the attacker knows: the task and the levels of the noise; at ∞ there is none."""

    dataset: Dataset
    alphas: Levels = (1, 3, 10, 30, inf)


@settings
class Release(Learn):
    """How many records are summed."""

    records_per_feature: Grid[Positive] = (0.5, 1, 1.5, 2, 2.5, 3, 5, 10)


@settings
class Figure:
    """The arms of every stage."""

    release: dict[Dataset, Release]
    learn: dict[Dataset, Learn]
