"""What the step-size study can be asked for."""

from __future__ import annotations

from replication.papers.linear_moments.settings import (
    Corpus,
    Estimator,
    Optimizer,
    Regions,
    Training,
    Windows,
)
from replication.settings import Count, Nothing, Positive, settings


@settings
class Learn(Training):
    """The window sizes of each estimator, the rates of each optimiser, and how many passes step 1 may take."""

    estimators: dict[Estimator, Windows]
    rates: dict[Optimizer, tuple[Positive, ...]]
    step1_limits: tuple[Count, ...]


@settings
class Figure:
    """The figure's stages and their arms."""

    release: dict[Corpus, Regions]
    learn: dict[Corpus, Learn]
    score: Nothing
