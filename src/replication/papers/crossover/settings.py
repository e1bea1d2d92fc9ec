"""What both crossover figures can be asked for: one figure, against ε or against n."""

from __future__ import annotations

from typing import Annotated, Literal

from replication.papers.mean_operator.settings import Dataset, Levels
from replication.settings import Count, Inside, Positive, Several, settings

Estimator = Literal["marginal", "moment", "mean_operator", "spread", "mmd"]
Sizes = Annotated[tuple[Count, ...], Several]
Fractions = Annotated[tuple[Inside, ...], Several]


@settings
class Release:
    """What the owner flips, and which test sets are cut."""

    datasets: tuple[Dataset, ...]
    epsilons: Levels
    sizes: Sizes
    test: Count
    fractions: Fractions
    set_size: Count


@settings
class Ascent:
    """How the two likelihoods are climbed, and the ridge λ‖θ‖² that all linear estimators share."""

    rate: Positive
    iterations: Count
    samples: Count
    l2: Positive


@settings
class Learn(Ascent):
    """Who learns from what."""

    datasets: tuple[Dataset, ...]
    estimators: tuple[Estimator, ...]
    epsilons: Levels
    sizes: Sizes


@settings
class Score:
    """What was learnt, and the shares of the test sets."""

    datasets: tuple[Dataset, ...]
    estimators: tuple[Estimator, ...]
    epsilons: Levels
    fractions: Fractions


@settings
class Figure:
    """The arms of every stage."""

    release: dict[Literal["labels"], Release]
    learn: dict[Literal["labels"], Learn]
    score: Score
