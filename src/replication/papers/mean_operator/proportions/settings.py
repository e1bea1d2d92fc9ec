"""What the proportions figure can be asked for."""

from __future__ import annotations

from replication.papers.mean_operator.settings import Dataset, Levels, Loss
from replication.settings import Count, Grid, Positive, settings


@settings
class Release:
    """Which bags, the last of so few records each, and how much privacy their proportions have."""

    dataset: Dataset
    bag_counts: Grid[Count] = (2, 4, 8, 16, 32, 128, 512)
    smallest: Count = 10
    alphas: Levels = (0.1, 1)


@settings
class Learn(Release):
    """The same bags, and what is minimised."""

    loss: Loss = "logistic"
    l2: Positive = 0.001
    tolerance: Positive = 0.000001


@settings
class Figure:
    """The arms of every stage."""

    release: dict[Dataset, Release]
    learn: dict[Dataset, Learn]
