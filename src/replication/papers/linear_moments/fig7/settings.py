"""What figure 7 can be asked for."""

from __future__ import annotations

from typing import Literal

from replication.papers.linear_moments.settings import Corpus, Optimizer, Regions, Training
from replication.settings import Nothing, Positive, settings

Arm = Literal[
    "treebank",
    "treebank_sgd",
    "treebank_exact",
    "treebank_merged",
    "treebank_beam",
    "treebank_supervised",
    "ewt",
    "ewt_sgd",
    "ewt_exact",
    "ewt_merged",
    "ewt_beam",
    "ewt_supervised",
]


@settings
class Learn(Training):
    """How all taggers are trained; `two_evaluate_at`: those whose two programs are run one after the other."""

    two_evaluate_at: tuple[Positive, ...]
    optimizer: Optimizer
    rate: Positive


@settings
class Figure:
    """The figure's stages and their arms."""

    release: dict[Corpus, Regions]
    learn: dict[Arm, Learn]
    score: Nothing
