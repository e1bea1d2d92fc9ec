"""What the step-size study can be asked for."""

from __future__ import annotations

from typing import Annotated

from replication.papers.linear_moments.fig7.settings import Arm, Corpus, Optimizer, Regions, Training
from replication.settings import Grid, Inside, Positive, Several, settings


@settings
class Learn(Training):
    """The rates of each optimiser, and the share of windows that choose among them."""

    rates: Annotated[dict[Optimizer, Grid[Positive]], Several]
    held_out: Inside = 0.1


@settings
class Figure:
    """The figure's stages and their arms."""

    release: dict[Corpus, Regions]
    learn: dict[Arm, Learn]
