"""What the crossover's figures can be asked for: one experiment, against ε, against n, or over both."""

from __future__ import annotations

from typing import Annotated, Literal

from replication.common.tuning import Levels, Tuning
from replication.settings import OWN, Count, Distinct, Grid, Inside, OneOf, settings

Classifier = Annotated[str, OneOf("common.margin_losses", "LOSSES")]
Quantifier = Annotated[str, OneOf("papers.crossover.epsilon.learn", "QUANTIFIERS")]
#: In the order of the columns.
Datasets = Grid[Annotated[str, OneOf("common.tasks", "TASKS", also=OWN)]]
Sizes = Grid[Count]
Fractions = Grid[Inside]


@settings
class Asked:
    """What all stages know: the tasks, and the ε of the label flips."""

    datasets: Datasets = ("census", "mnist", "breast_cancer")
    epsilons: Levels


@settings
class Score(Asked):
    """The shares of positives in the shifted test sets."""

    fractions: Fractions = (0.1, 0.3, 0.5, 0.7, 0.9)


@settings
class Release(Score):
    """How many records have flipped labels, how many at most are held out, and the members of a shifted test set."""

    sizes: Sizes
    test: Count = 2000
    set_size: Count = 300


@settings
class Learn(Asked, Tuning):
    """Who learns from how many records, and for which task."""

    classifiers: Distinct[Classifier]
    quantifiers: Distinct[Quantifier]
    sizes: Sizes


@settings
class Figure:
    """The arms of every stage; `clean` peeks."""

    release: dict[Literal["labels"], Release]
    learn: dict[Literal["linear", "matching", "clean"], Learn]
    score: Score
