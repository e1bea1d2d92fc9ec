"""What figure 3 can be asked for."""

from __future__ import annotations

from typing import Annotated, Literal

from replication.papers.spread.settings import Ascent, Checkpoints, Flipped
from replication.settings import Count, Folds, Grid, Inside, OneOf, Positive, settings

Method = Annotated[str, OneOf("papers.spread.fig3.learn", "METHODS")]
#: As the paper does it, from a random start until convergence; or from zero, as many steps for all.
Protocol = Literal["converged", "steps"]


@settings
class Learn(Flipped, Ascent):
    """The methods, how they go and how far, their importance samples, and the penalties for cross-validation.

    An ascent of the paper's protocol ends with `most` iterations at the latest; it has converged when a hundred of them
    move the weights by less than the share `moved` of their length.
    """

    protocol: Protocol
    methods: Grid[Method]
    samples: Count = 10
    most: Count = 1500
    moved: Inside = 0.05
    penalties: Grid[Positive] = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
    folds: Folds = 5


@settings
class Score(Flipped, Checkpoints):
    """What the referee draws anew, and where the learners were stopped; `most`: where, if they had not converged."""

    most: Count = 1500


@settings
class Figure:
    """The stages of the figure."""

    release: dict[Literal["noisy"], Flipped]
    learn: dict[Literal["private", "peeking", "converged", "converged_peeking"], Learn]
