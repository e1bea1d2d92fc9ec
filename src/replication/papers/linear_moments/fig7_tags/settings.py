"""What the study of subsets of tags can be asked for."""

from __future__ import annotations

from typing import Literal

from replication.papers.linear_moments.settings import Corpus, Optimizer, Regions, Training
from replication.settings import Count, Nothing, Positive, settings

Arm = Literal["treebank", "treebank_exact", "treebank_beam"]


@settings
class Release(Regions):
    """How many tags an annotator is asked to count, at random."""

    tags: tuple[Count, ...]


@settings
class Learn(Training):
    """How all taggers are trained."""

    tags: tuple[Count, ...]
    optimizer: Optimizer
    rate: Positive


@settings
class Figure:
    """The figure's stages and their arms."""

    release: dict[Corpus, Release]
    learn: dict[Arm, Learn]
    score: Nothing
