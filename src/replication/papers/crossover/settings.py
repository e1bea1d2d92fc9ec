"""What the crossover's figures can be asked for: one experiment, against ε, against n, or over both."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge

from replication.papers.mean_operator.settings import Dataset, Levels
from replication.settings import Count, Inside, Positive, Several, settings

Classifier = Literal["marginal", "moment", "mean_operator", "spread", "naive", "clean"]
Quantifier = Literal["mmd", "set_id_logistic", "naive", "clean"]
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
class Tuning:
    """The ridges λ‖θ‖² among which cross-validation on the reported labels chooses, and how far every fit goes."""

    l2s: Levels
    folds: Annotated[int, Ge(2)]
    samples: Count
    tolerance: Positive


@settings
class Learn(Tuning):
    """Who learns from what, and for which task."""

    datasets: tuple[Dataset, ...]
    classifiers: tuple[Classifier, ...]
    quantifiers: tuple[Quantifier, ...]
    epsilons: Levels
    sizes: Sizes


@settings
class Score:
    """The shares of the test sets."""

    datasets: tuple[Dataset, ...]
    epsilons: Levels
    fractions: Fractions


@settings
class Figure:
    """The arms of every stage; `clean` peeks."""

    release: dict[Literal["labels"], Release]
    learn: dict[Literal["linear", "matching", "clean"], Learn]
    score: Score
