"""What the crossover's figures can be asked for: one experiment, against ε, against n, or over both."""

from __future__ import annotations

from typing import Annotated, Literal

from replication.common.tuning import Levels, Tuning
from replication.settings import OWN, Count, Distinct, Grid, OneOf, settings

Classifier = Annotated[str, OneOf("common.margin_losses", "LOSSES")]
#: In the order of the columns.
Datasets = Grid[Annotated[str, OneOf("common.tasks", "TASKS", also=OWN)]]
Sizes = Grid[Count]


@settings
class Asked:
    """What all stages know: the tasks, and the ε of the label flips."""

    datasets: Datasets = ("census", "mnist", "breast_cancer")
    epsilons: Levels


@settings
class Release(Asked):
    """How many records have flipped labels, and how many at most are held out."""

    sizes: Sizes
    test: Count = 2000


@settings
class Learn(Asked, Tuning):
    """Who learns, and from how many records."""

    classifiers: Distinct[Classifier]
    sizes: Sizes


@settings
class Figure:
    """The arms of every stage; `clean` peeks."""

    release: dict[Literal["labels"], Release]
    learn: dict[Literal["linear", "clean"], Learn]
    score: Asked
