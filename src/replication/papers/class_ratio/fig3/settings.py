"""What figure 3 can be asked for, and the figures that extend it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from replication.papers.class_ratio.settings import Demand, Estimator, Machine, Sizes, Veil, require_room
from replication.settings import Count, Dataset, Distinct, Grid, Inside, Several, Share, Steps, settings

#: The mechanisms that the figure of the paper compares, and the fallback of the last.
PAPER = ("laplace", "laplace_prior", "scaled_dirichlet", "fallback")


@settings
class Skewed(Sizes):
    """Sets of one data set: its classes, and the share of every class but one in a training set.

    With `others` there are test sets of that size, too, in which each of the other classes is the common one.
    """

    classes: Steps
    rhos: Grid[Inside]
    others: Count | None = None

    def __post_init__(self) -> None:
        """Refuse shares that leave the last class nothing."""
        require_room(self.classes, *self.rhos)


@settings
class Designed(Demand):
    """Sets in every skew and in copies of smaller sets, whose proportions are veiled in several ways.

    `copies`: of the c training sets, each as much smaller; `steps`: test mixtures, from x = 0 to 1/c. `demands` are
    other levels than the figure's own, for the mechanisms of the paper.
    """

    sets: Annotated[dict[Dataset, Skewed], Several]
    copies: Grid[Count] = (1,)
    steps: Steps = 6
    mechanisms: Grid[Veil]
    demands: tuple[Demand, ...] = ()

    @property
    def levels(self) -> list[tuple[Demand, Sequence[str]]]:
        """All that is demanded, the figure's own first, and of which mechanisms."""
        return [
            (Demand(epsilon=self.epsilon, delta=self.delta), self.mechanisms),
            *((other, PAPER) for other in self.demands),
        ]


@settings
class Release(Designed):
    """What the owner of such sets does: so many independent releases by every mechanism, in each trial.

    The public lower bound on the counts of a set is that share of its smallest count.
    """

    draws: Count = 10
    public_minimum_share: Share = 0.8


@settings
class Learn:
    """The estimators of an arm; with `veils`, from the first draw of these mechanisms only.

    Only the paper's learns from what met other demands than the figure's own.
    """

    estimators: Grid[Estimator] = ("mmd",)
    psvm: Machine = Machine()
    veils: Distinct[Veil] = ()


@settings
class Figure:
    """Its stages; ∝SVM is an arm of the study of set sizes."""

    release: dict[Literal["sets"], Release]
    learn: dict[Literal["mmd", "set_id", "psvm"], Learn]
    score: Designed
