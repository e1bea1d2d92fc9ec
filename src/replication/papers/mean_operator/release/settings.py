"""What the release figure can be asked for."""

from __future__ import annotations

from typing import Annotated

from replication.papers.mean_operator.settings import Dataset, Levels, Loss
from replication.settings import OWN, Count, Distinct, Grid, OneOf, Positive, settings

Arm = Annotated[str, OneOf("common.tasks", "TASKS", also=("census_sizes", *OWN))]


@settings
class Release:
    """The grid over which the owner releases; `fixed` is the λ of the rule that has one for all.

    `sizes`: of the first records of a random order; without, all training records.
    """

    dataset: Dataset
    alphas: Levels = (0.03, 0.1, 0.3, 1, 3)
    losses: Grid[Loss] = ("logistic", "square", "matsushita")
    fixed: Positive = 0.001
    sizes: Distinct[Count] = ()


@settings
class Learn(Release):
    """The same grid, the λ among which the learner chooses, how often noise is drawn for that, and how far it goes."""

    l2s: Grid[Positive] = (0.00001, 0.0001, 0.001, 0.01, 0.1, 1, 10)
    draws: Count = 2
    tolerance: Positive = 0.00001


@settings
class Figure:
    """The arms of every stage."""

    release: dict[Arm, Release]
    learn: dict[Arm, Learn]
