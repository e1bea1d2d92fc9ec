"""What the study of other divergences can be asked for."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Ge, Gt, Lt

from replication.settings import Count, Probability, Real, settings


@settings
class Score:
    """Flip probabilities, numbers of observations, true shares; and how many of them in the limit of much data."""

    p_flips: tuple[Annotated[Real, Gt(0), Lt(0.5)], ...]
    sizes: tuple[Count, ...]
    truths: tuple[Probability, ...]
    points: Annotated[int, Ge(2)]


@settings
class Figure:
    """The stages of the figure."""

    score: Score
