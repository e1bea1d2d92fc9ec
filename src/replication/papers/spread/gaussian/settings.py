"""What the table of section 6.1 can be asked for."""

from __future__ import annotations

from typing import Literal

from replication.papers.spread.settings import Ascent, Checkpoints, Digits, Labels
from replication.settings import Count, Inside, Positive, Real, settings


@settings
class Veiled(Digits):
    """The noise on the pixels, at several levels."""

    variances: tuple[Positive, ...]


@settings
class Release(Veiled):
    """The noise on the labels beside it."""

    label_flip: Inside


@settings
class Score(Veiled, Checkpoints):
    """The kinds of spread estimators, and where they were stopped."""

    samples: tuple[Count, ...]
    labels: tuple[Labels, ...]


@settings
class Learn(Score, Release, Ascent):
    """The prior, mean and variance, of every pixel beside it."""

    prior: tuple[Real, Positive]


@settings
class Figure:
    """The stages of the figure."""

    release: dict[Literal["noisy"], Release]
    learn: dict[Literal["private", "peeking"], Learn]
    score: Score
