"""What the study of the bounds can be asked for."""

from __future__ import annotations

from typing import Annotated, Literal

from replication.papers.class_ratio.settings import Demand, require_room
from replication.settings import Count, Dataset, Grid, Inside, Nothing, Positive, Several, Steps, settings


@settings
class Sized:
    """The classes of a data set, and how many instances a set has in turn."""

    classes: Steps
    sizes: Grid[Count]


@settings
class Release(Demand):
    """Sets of growing size; `test_share` of 1/c is the share of every class but the last in the test set."""

    sets: Annotated[dict[Dataset, Sized], Several]
    rho: Inside = 0.05
    test_share: Inside = 0.5


@settings
class Asymptotics:
    """Where (11) is held against the exact tail: along σ = m^−exponent, ε = κσ."""

    proportions: Grid[Inside] = (0.1, 0.3, 0.6)
    kappa: Positive = 0.3
    exponent: Positive = 0.5
    totals: Grid[Positive] = (1e3, 1e4, 1e5, 1e6, 1e7)


@settings
class Limits(Demand):
    """Sets of `size` labels at one σ, whose smallest classes grow; equal classes of `members`, more and more of them.

    (10) is minimised for sets of `totals` labels, of which every class but one has the share `proportion`.
    """

    classes: Steps = 5
    size: Count = 1000
    scale: Positive = 0.02
    smallest: Grid[Count] = (25, 50, 75, 100, 150, 200)
    members: Count = 100
    joining: Grid[Steps] = (2, 5, 10, 20, 50)
    proportion: Inside = 0.05
    totals: Grid[Positive] = (1e3, 1e4, 1e5, 1e6)

    def __post_init__(self) -> None:
        """Refuse sets that are too small for their classes."""
        require_room(self.classes, self.proportion, max(self.smallest) / self.size)


@settings
class Sharing:
    """So many instances in as many sets as classes; in sets of which one is larger; in so many times as many sets."""

    classes: Steps = 3
    total: Count = 2700
    ratios: Grid[Steps] = (2, 4, 8)
    copies: Grid[Steps] = (2, 4, 8)


@settings
class Prior:
    """A posterior with a prior of fixed mass, of which so many labels are drawn; class sizes to look for the worst.

    Beside it Laplace noise on the counts, asked for `epsilon`.
    """

    draws: Count = 1000
    mass: Positive = 1000.0
    classes: Grid[Steps] = (2, 3, 5, 8, 10, 15)
    members: Grid[Count] = (1, 2, 5, 20)
    epsilon: Positive = 0.01


@settings
class Score(Release):
    """The bounds, each of which may fail with a small probability."""

    failure: Inside = 0.05
    asymptotics: Asymptotics = Asymptotics()
    limits: Limits = Limits()
    sharing: Sharing = Sharing()
    prior: Prior = Prior()


@settings
class Figure:
    """Its stages."""

    release: dict[Literal["sets"], Release]
    learn: dict[Literal["mmd"], Nothing]
