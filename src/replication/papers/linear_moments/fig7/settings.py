"""What figure 7 can be asked for."""

from __future__ import annotations

from typing import Literal

from replication.papers.linear_moments.settings import Corpus, Optimizer, Regions, Training
from replication.settings import Nothing, Positive, settings

Arm = Literal["treebank", "treebank_beam", "treebank_supervised", "ewt", "ewt_beam", "ewt_supervised"]


@settings
class Learn(Training):
    """How all taggers are trained."""

    optimizer: Optimizer
    rate: Positive


@settings
class Figure:
    """The figure's stages and their arms."""

    release: dict[Corpus, Regions]
    learn: dict[Arm, Learn]
    score: Nothing
