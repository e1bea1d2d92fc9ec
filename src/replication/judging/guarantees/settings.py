"""What the table of guarantees can be asked for."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge, Le, MinLen

from replication.settings import Count, Flip, Grid, Inside, Positive, Steps, settings


@settings
class Products:
    """A data set of figure 6: how many features its products have, and α (over δ̄ for per-value release)."""

    features: Steps
    level: Positive


@settings
class LinearMoments:
    """Mechanisms of linear_moments that are audited."""

    alpha: Positive
    statistics: Steps
    ones: Count
    states: Steps
    truthful: Inside
    window: Count
    housing: Products
    songs: Products


@settings
class MeanOperator:
    """Mechanisms of mean_operator that are audited."""

    alpha: Positive
    records: Count
    features: Count
    l2: Positive
    experiments: dict[Literal["breast_cancer", "mnist", "census"], Count]


@settings
class Noise:
    """Noise on two class counts."""

    epsilon: Positive
    delta: Inside
    counts: tuple[Count, Count]


@settings
class Dirichlet:
    """The scaled Dirichlet at one vector of counts."""

    epsilon: Positive
    delta: Inside
    counts: Annotated[tuple[Count, ...], MinLen(2)]
    digits: Annotated[tuple[Count, ...], MinLen(2)]
    minimum_count: Count


@settings
class Membership:
    """Sets built from labels: a set a class, with so large a share of every other class, and with so many members."""

    classes: Steps
    rho: Inside
    size: Count


@settings
class ClassRatio:
    """Mechanisms of class_ratio that are audited."""

    noise: Noise
    dirichlet: Dirichlet
    membership: Membership


@settings
class Image:
    """An image small enough to enumerate its veils."""

    pixels: Count
    states: Steps


@settings
class Digits:
    """The images of the experiments, and the noise on them."""

    pixels: Count
    states: Steps
    flips: Grid[Flip]
    variances: Grid[Positive]
    delta: Inside


@settings
class Spread:
    """Mechanisms of spread that are audited."""

    flip: Flip
    states: Steps
    image: Image
    digits: Digits
    variance: Positive
    distance: Positive
    delta: Inside


@settings
class Guarantees:
    """What is audited, how often, and how surely."""

    samples: Annotated[int, Ge(64), Le(10**7)]
    confidence: Inside
    linear_moments: LinearMoments
    mean_operator: MeanOperator
    class_ratio: ClassRatio
    spread: Spread


#: The papers, in the order of the table.
PAPERS = ("linear_moments", "mean_operator", "class_ratio", "spread")
