"""What the study of the bounds can be asked for."""

from __future__ import annotations

from typing import Literal

from replication.papers.class_ratio.settings import Demand, Steps
from replication.settings import Count, Dataset, Inside, Nothing, Positive, settings


@settings
class Sized:
    """The classes of a data set, and how many instances a set has in turn."""

    classes: Steps
    sizes: tuple[Count, ...]


@settings
class Release(Demand):
    """Sets of growing size; `test_share` of 1/c is the share of every class but the last in the test set."""

    sets: dict[Dataset, Sized]
    rho: Inside
    test_share: Inside


@settings
class Asymptotics:
    """Where (11) is held against the exact tail: along σ = m^−exponent, ε = κσ."""

    proportions: tuple[Inside, ...]
    kappa: Positive
    exponent: Positive
    totals: tuple[Positive, ...]


@settings
class Limits(Demand):
    """Sets of `size` labels at one σ, whose smallest classes grow; equal classes of `members`, more and more of them.

    (10) is minimised for sets of `totals` labels, of which every class but one has the share `proportion`.
    """

    classes: Steps
    size: Count
    scale: Positive
    smallest: tuple[Count, ...]
    members: Count
    joining: tuple[Steps, ...]
    proportion: Inside
    totals: tuple[Positive, ...]


@settings
class Prior:
    """A posterior with a prior of fixed mass, of which so many labels are drawn; class sizes to look for the worst."""

    draws: Count
    mass: Positive
    classes: tuple[Count, ...]
    members: tuple[Count, ...]


@settings
class Score(Release):
    """The bounds, each of which may fail with a small probability."""

    failure: Inside
    asymptotics: Asymptotics
    limits: Limits
    prior: Prior


@settings
class Figure:
    """Its stages."""

    release: dict[Literal["sets"], Release]
    learn: dict[Literal["mmd"], Nothing]
    score: Score
