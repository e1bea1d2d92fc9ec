"""What figure 2 can be asked for."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from replication.papers.class_ratio.settings import Machine, Sizes
from replication.settings import Count, Dataset, Grid, Inside, OneOf, Probability, Several, settings

Method: TypeAlias = Annotated[str, OneOf("papers.class_ratio.fig2.learn", "METHODS")]


@settings
class Score:
    """The test sets: their sizes, and their shares of positives."""

    sets: Annotated[dict[Dataset, Sizes], Several]
    fractions: Grid[Probability] = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@settings
class Release(Score):
    """All sets; in one training and validation set of two, `rho` are positive, in the other negative."""

    rho: Inside = 0.1


@settings
class RandomFeatures:
    """How many of them replace the kernel."""

    random_features: Count = 500


@settings
class Options:
    """Of the methods that have some."""

    mmd_rff: RandomFeatures = RandomFeatures()
    psvm: Machine = Machine()
    psvm_starts: Machine = Machine()
    psvm_price: Machine = Machine()


@settings
class Learn:
    """The methods of an arm."""

    methods: Grid[Method]
    options: Options = Options()


@settings
class Figure:
    """Its stages; the labelled arm peeks at labels of instances."""

    release: dict[Literal["sets"], Release]
    learn: dict[Literal["kernel", "proportion_svm", "labelled"], Learn]
