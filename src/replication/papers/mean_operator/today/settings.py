"""What the figure on today's private labels can be asked for."""

from __future__ import annotations

from replication.common.tuning import Tuning
from replication.papers.mean_operator.settings import Dataset, Levels
from replication.settings import Count, settings


@settings
class Release(Tuning):
    """Whose labels are released, at which exact levels of a label; an owner who asks twice tunes in between."""

    dataset: Dataset
    epsilons: Levels = (0.1, 0.3, 1, 3)


@settings
class Learn(Release):
    """The same, and how often noise is drawn to choose λ for a statistic."""

    draws: Count = 2


@settings
class Figure:
    """The arms of every stage."""

    release: dict[Dataset, Release]
    learn: dict[Dataset, Learn]
