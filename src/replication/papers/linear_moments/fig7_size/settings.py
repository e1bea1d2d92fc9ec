"""What the study of the number of sentences can be asked for."""

from __future__ import annotations

from replication.papers.linear_moments.fig7.settings import Arm, Corpus, Regions
from replication.papers.linear_moments.fig7.settings import Learn as Trained
from replication.settings import Count, Grid, Positive, settings


@settings
class Learn(Trained):
    """The numbers of sentences that train; the passes of every training, and the windows seen at most beyond them."""

    sizes: Grid[Count]
    least_passes: Positive
    most_windows: Count


@settings
class Figure:
    """The figure's stages and their arms."""

    release: dict[Corpus, Regions]
    learn: dict[Arm, Learn]
