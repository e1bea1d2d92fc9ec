"""What the reconstruction figure can be asked for."""

from __future__ import annotations

from replication.papers.mean_operator.settings import Dataset, Levels
from replication.settings import Nothing, Positive, settings


@settings
class Learn:
    """What the attacker knows: the task and the levels of the noise."""

    dataset: Dataset
    alphas: Levels


@settings
class Release(Learn):
    """How many records are summed."""

    records_per_feature: tuple[Positive, ...]


@settings
class Figure:
    """The arms of every stage."""

    release: dict[Dataset, Release]
    learn: dict[Dataset, Learn]
    score: Nothing
