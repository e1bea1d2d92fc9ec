"""What the traps can be asked for."""

from __future__ import annotations

from typing import Annotated, Literal

from replication.papers.linear_moments.settings import THREE_BY_THREE, Range, Supervision, require_states
from replication.settings import Count, Grid, Large, Real, Several, Steps, settings


@settings
class Case:
    """A one-parameter family, its truth, the actual supervision and, where the learner errs, what it believes."""

    statistics: tuple[Real, ...]
    theta: Real
    actual: Supervision = THREE_BY_THREE
    believes: Supervision | None = None

    def __post_init__(self) -> None:
        require_states(self.statistics, self.actual, self.believes)


@settings
class Score:
    """The cases, the grid of θ, the climbs of EM, and the sizes of samples."""

    cases: Annotated[dict[Literal["figure_5", "two_ends_alike", "misspecified"], Case], Several]
    theta_range: Range = (-10.0, 10.0)
    points: Steps = 401
    # Of EM and of scoring, within nine tenths of the range.
    starts: Count = 41
    em_steps: Count = 5000
    sizes: Grid[Large] = (10**4, 10**5, 10**6, 10**7, 10**8)
