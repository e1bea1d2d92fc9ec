"""What the study of costs can be asked for."""

from __future__ import annotations

from typing import Literal

from replication.papers.linear_moments.fig7.settings import Learn
from replication.papers.linear_moments.settings import Corpus, Regions
from replication.settings import Nothing, settings

Arm = Literal["treebank", "treebank_exact", "treebank_merged", "treebank_beam"]


@settings
class Figure:
    """The figure's stages and their arms."""

    release: dict[Corpus, Regions]
    learn: dict[Arm, Learn]
    score: Nothing
