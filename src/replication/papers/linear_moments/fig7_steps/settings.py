"""What the step-size study can be asked for."""

from __future__ import annotations

from typing import Literal

from replication.papers.linear_moments.settings import Corpus, Optimizer, Regions, Training
from replication.settings import Inside, Nothing, Positive, settings

Arm = Literal["treebank", "treebank_sgd", "treebank_exact", "treebank_beam"]


@settings
class Learn(Training):
    """The rates of each optimiser, those of step 1 by SGD, and the share of windows that choose among them."""

    rates: dict[Optimizer, tuple[Positive, ...]]
    step1_rates: tuple[Positive, ...]
    held_out: Inside


@settings
class Figure:
    """The figure's stages and their arms."""

    release: dict[Corpus, Regions]
    learn: dict[Arm, Learn]
    score: Nothing
