"""What figure 1 can be asked for."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Ge

from replication.settings import Probability, settings


@settings
class Score:
    """The flip probabilities, and how many true values from 0 to 1."""

    p_flips: tuple[Probability, ...]
    points: Annotated[int, Ge(2)]


@settings
class Figure:
    """The stages of the figure."""

    score: Score
