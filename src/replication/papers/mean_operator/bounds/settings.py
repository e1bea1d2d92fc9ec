"""What the figure of the bounds can be asked for."""

from __future__ import annotations

from typing import Annotated

from replication.papers.mean_operator.settings import Loss
from replication.settings import Count, Inside, Positive, Several, settings


@settings
class Score:
    """Sizes, levels and the ball of θ."""

    dimensions: tuple[Count, ...]
    losses: tuple[Loss, ...]
    m: Count
    alpha: Positive
    l2: Positive
    deltas: Annotated[tuple[Inside, ...], Several]
    radius: Positive
    draws: Count


@settings
class Figure:
    """The referee works alone."""

    score: Score
