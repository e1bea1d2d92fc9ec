"""What the figure can be asked for."""

from __future__ import annotations

from typing import Annotated, Literal

from replication.common.tuning import Levels
from replication.papers.class_ratio.settings import Sizes, require_room
from replication.settings import Count, Dataset, Distinct, Grid, Inside, OneOf, Several, Share, Steps, settings

Noise = Annotated[str, OneOf("papers.class_ratio.today.release", "NOISES")]
Method = Annotated[str, OneOf("papers.class_ratio.today.learn", "METHODS")]


@settings
class Skewed(Sizes):
    """One skewed set a class, and as many to tune by: `rho` is the share of every class but one."""

    classes: Steps
    rho: Inside = 0.05

    def __post_init__(self) -> None:
        """Refuse shares that leave the last class nothing."""
        require_room(self.classes, self.rho)


@settings
class Asked:
    """The exact levels of a label, at each of which everything is released."""

    epsilons: Levels = (0.1, 0.3, 1.0, 3.0)


@settings
class Score(Asked):
    """So many test sets of ratios that are uniform on the simplex; `delta` is of the noises that have one."""

    sets: Annotated[dict[Dataset, Skewed], Several]
    delta: Inside = 0.05
    tests: Count = 5


@settings
class Release(Score):
    """What veils the counts; the public bound on the smallest count is that share of it."""

    noises: Grid[Noise]
    public_minimum_share: Share = 0.8


@settings
class Learn(Asked):
    """Who learns from what; images are seen through so many principal components by all that classify."""

    methods: Distinct[Method]
    components: Count = 50


@settings
class Figure:
    """Its stages: one arm learns from veiled proportions, one from veiled labels."""

    release: dict[Literal["sets"], Release]
    learn: dict[Literal["proportions", "labels"], Learn]
    score: Score
