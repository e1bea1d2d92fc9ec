"""What the table of section 6.1 can be asked for."""

from __future__ import annotations

from typing import Literal

from replication.papers.spread.settings import Ascent, Checkpoints, Digits, Labels
from replication.settings import Count, Flip, Grid, Positive, Real, Rising, settings


@settings
class Veiled(Digits):
    """The noise on the pixels, at several levels."""

    variances: Grid[Positive] = (0.1, 0.5)


@settings
class Release(Veiled):
    """The noise on the labels beside it."""

    label_flip: Flip = 0.2


@settings
class Score(Veiled, Checkpoints):
    """The kinds of spread estimators, of which the paper has the first; where they and clean training were stopped."""

    clean_iterations: Rising[Count] = (50, 100, 200, 400, 800)

    samples: Grid[Count] = (2, 50)
    labels: Grid[Labels] = ("sampled", "summed")


@settings
class Learn(Score, Release, Ascent):
    """The prior, mean and variance, of every pixel beside it."""

    prior: tuple[Real, Positive] = (0.0, 10.0)


@settings
class Figure:
    """The stages of the figure."""

    release: dict[Literal["noisy"], Release]
    learn: dict[Literal["private", "peeking"], Learn]
