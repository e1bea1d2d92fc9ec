"""What the study of few importance samples can be asked for."""

from __future__ import annotations

from typing import Annotated, Literal

from replication.papers.spread.settings import Flipped, Labels
from replication.settings import Count, Grid, Positive, Several, settings


@settings
class Score(Flipped):
    """The numbers of samples at each level of sampling, and how the labels enter."""

    levels: Annotated[dict[Literal["pixel", "z"], Grid[Count]], Several]
    labels: Grid[Labels] = ("sampled", "summed")


@settings
class Learn(Score):
    """The ascent beside it."""

    rate: Positive = 0.1
    steps: Count = 400


@settings
class Figure:
    """The stages of the figure."""

    release: dict[Literal["noisy"], Flipped]
    learn: dict[Literal["spread"], Learn]
