"""What the study of subsets of tags can be asked for."""

from __future__ import annotations

from replication.papers.linear_moments.fig7.settings import Arm, Corpus, Regions
from replication.papers.linear_moments.fig7.settings import Learn as Trained
from replication.settings import Count, Grid, settings


@settings
class Release(Regions):
    """How many tags an annotator is asked to count, at random."""

    tags: Grid[Count]


@settings
class Learn(Trained):
    """How all taggers are trained."""

    tags: Grid[Count]


@settings
class Figure:
    """The figure's stages and their arms."""

    release: dict[Corpus, Release]
    learn: dict[Arm, Learn]
