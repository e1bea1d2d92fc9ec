"""What the study of membership can be asked for."""

from __future__ import annotations

from typing import Annotated, Literal

from replication.papers.class_ratio.settings import Demand, require_room
from replication.settings import Count, Dataset, Grid, Inside, Nothing, Positive, Probability, Several, Steps, settings


@settings
class Own:
    """Sets of one data set: its classes, members of a training and a test set, and the shares of the paper's design."""

    classes: Steps
    size: Count
    test: Count
    rhos: Grid[Inside]

    def __post_init__(self) -> None:
        """Refuse shares that leave the last class nothing."""
        require_room(self.classes, *self.rhos)


@settings
class Release(Demand):
    """The paper's design and label-free ones; proportions at the demanded (ε, δ).

    In the designs at random the members choose their sets by randomised response, and a total ε is split: so much of it
    goes to the choice, the rest to the proportions, and where nothing is left the design's own shares are published.
    """

    sets: Annotated[dict[Dataset, Own], Several]
    totals: Grid[Positive] = (0.5, 1, 2, 4)
    splits: Grid[Probability] = (0.25, 0.5, 0.75, 1.0)


@settings
class Figure:
    """Its stages."""

    release: dict[Literal["sets"], Release]
    learn: dict[Literal["mmd", "mmd_mnist", "mmd_twitter"], Nothing]
    score: Release
