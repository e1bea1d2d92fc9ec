"""What the release figure can be asked for."""

from __future__ import annotations

from typing import Literal

from replication.papers.mean_operator.settings import Dataset, Levels, Loss
from replication.settings import Count, Nothing, Positive, settings

Arm = Literal["census", "mnist", "breast_cancer", "census_sizes"]


@settings
class Release:
    """The grid over which the owner releases; `fixed` is the λ of the rule that has one for all."""

    dataset: Dataset
    alphas: Levels
    losses: tuple[Loss, ...]
    fixed: Positive
    sizes: tuple[Count, ...]


@settings
class Learn(Release):
    """The same grid, the λ among which the learner chooses, how often noise is drawn for that, and how far it goes."""

    l2s: Levels
    draws: Count
    tolerance: Positive


@settings
class Figure:
    """The arms of every stage."""

    release: dict[Arm, Release]
    learn: dict[Arm, Learn]
    score: Nothing
