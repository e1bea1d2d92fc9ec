"""What the traps can be asked for."""

from __future__ import annotations

from typing import Literal

from replication.papers.linear_moments.settings import Range, Supervision
from replication.settings import Count, Real, settings


@settings
class Case:
    """A one-parameter family, its truth, the actual supervision and, where the learner errs, what it believes."""

    statistics: tuple[Real, ...]
    theta: Real
    actual: Supervision
    believes: Supervision | None = None


@settings
class Score:
    """The cases, the grid of θ, the climbs of EM, and the sizes of samples."""

    cases: dict[Literal["figure_5", "two_ends_alike", "misspecified"], Case]
    theta_range: Range
    points: Count
    starts: Count
    em_steps: Count
    sizes: tuple[Count, ...]
