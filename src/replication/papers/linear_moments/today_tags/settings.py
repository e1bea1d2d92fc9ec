"""What the figure can be asked for."""

from __future__ import annotations

from typing import Annotated, Literal

from replication.settings import Count, Distinct, Grid, OneOf, Positive, Rising, Share, settings

Method = Annotated[str, OneOf("papers.linear_moments.today_tags.learn", "METHODS")]


@settings
class Asked:
    """So many training sentences, one window of each of these lengths, and so many of their tokens tagged in full."""

    sentences: Count = 1000
    windows: Grid[Count] = (5, 20)
    tagged: Rising[Count] = (100, 300, 1000, 3000, 10000, 20000)


@settings
class Learn(Asked):
    """Who learns; rate and passes are chosen by a share of the windows, or of the tagged sentences, held out.

    After `looks` passes, too, every training from counts is looked at.
    """

    methods: Distinct[Method] = ()
    rates: Grid[Positive] = (0.1, 0.3)
    passes: Rising[Count] = (1, 3)
    looks: Rising[Positive] = (0.03, 0.1, 0.3)
    held_out: Share = 0.1


@settings
class Figure:
    """Its stages; the arms that peek are trained on tags."""

    release: dict[Literal["treebank", "ewt"], Asked]
    learn: dict[Literal["treebank", "treebank_tagged", "ewt", "ewt_tagged"], Learn]
    score: Asked
