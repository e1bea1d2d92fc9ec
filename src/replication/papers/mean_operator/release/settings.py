"""What the release figure can be asked for."""

from __future__ import annotations

from typing import Literal

from replication.papers.mean_operator.settings import Dataset, Levels, Loss
from replication.settings import Count, Nothing, Positive, settings

Arm = Literal["census", "mnist", "breast_cancer", "census_sizes"]


@settings
class Release:
    """The grid over which the owner releases."""

    dataset: Dataset
    alphas: Levels
    losses: tuple[Loss, ...]
    l2s: Levels
    sizes: tuple[Count, ...]


@settings
class Learn(Release):
    """The same grid, and how far the learner goes."""

    tolerance: Positive


@settings
class Figure:
    """The arms of every stage."""

    release: dict[Arm, Release]
    learn: dict[Arm, Learn]
    score: Nothing
