"""What the step-size study can be asked for."""

from __future__ import annotations

from replication.papers.linear_moments.settings import Corpus, Optimizer, Regions, Training
from replication.settings import Count, Nothing, Positive, settings


@settings
class Learn(Training):
    """The rates of each optimiser, and how many passes step 1 may take."""

    rates: dict[Optimizer, tuple[Positive, ...]]
    step1_limits: tuple[Count, ...]


@settings
class Figure:
    """The figure's stages and their arms."""

    release: dict[Corpus, Regions]
    learn: dict[Corpus, Learn]
    score: Nothing
