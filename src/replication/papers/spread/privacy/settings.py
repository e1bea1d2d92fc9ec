"""What the table of exact privacy can be asked for."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Ge

from replication.settings import Count, Inside, Positive, settings


@settings
class Score:
    """The noise levels, the size of an image, and the δ that is allowed it."""

    p_flips: tuple[Inside, ...]
    variances: tuple[Positive, ...]
    pixels: Count
    states: Annotated[int, Ge(2)]
    delta: Inside


@settings
class Figure:
    """The stages of the figure."""

    score: Score
