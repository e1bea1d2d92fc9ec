"""What figure 7 can be asked for."""

from __future__ import annotations

from typing import Literal

from replication.papers.linear_moments.settings import (
    Corpus,
    Estimator,
    Optimizer,
    Regions,
    Training,
    Windows,
)
from replication.settings import Nothing, Positive, settings


@settings
class Learn(Training):
    """The window sizes of each estimator, and how all are trained."""

    estimators: dict[Estimator, Windows]
    optimizer: Optimizer
    rate: Positive


@settings
class Figure:
    """The figure's stages and their arms."""

    release: dict[Corpus, Regions]
    learn: dict[Corpus | Literal["treebank_beam", "treebank_supervised", "ewt_beam", "ewt_supervised"], Learn]
    score: Nothing
