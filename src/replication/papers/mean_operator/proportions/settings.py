"""What the proportions figure can be asked for."""

from __future__ import annotations

from replication.papers.mean_operator.settings import Dataset, Levels, Loss
from replication.settings import Count, Nothing, Positive, settings


@settings
class Release:
    """Which bags, the last of so few records each, and how much privacy their proportions have."""

    dataset: Dataset
    bag_counts: tuple[Count, ...]
    smallest: Count
    alphas: Levels


@settings
class Learn(Release):
    """The same bags, and what is minimised."""

    loss: Loss
    l2: Positive
    tolerance: Positive


@settings
class Figure:
    """The arms of every stage."""

    release: dict[Dataset, Release]
    learn: dict[Dataset, Learn]
    score: Nothing
