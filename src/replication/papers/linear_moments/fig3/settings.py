"""What figure 3 can be asked for."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated

from annotated_types import MinLen

from replication.papers.linear_moments.settings import Signals, signals
from replication.settings import Count, Grid, Large, Real, Share, Steps, settings
from unveil.errors import require


@settings
class Counterexample:
    """A one-parameter family, φ of each state, whose efficiency does not rise with ε, and its θ."""

    statistics: Annotated[tuple[Real, ...], MinLen(2)] = (0.0, 1.0, 5.0)
    theta: Real = 2.0
    #: Where the curve turns, between the last points of the grid.
    close: Grid[Share] = (0.96, 0.97, 0.98, 0.99, 0.995, 0.999)


@settings
class Score:
    """θ of each panel, the grid of ε, the Monte-Carlo check, and a model to the contrary.

    The check has `replications` of samples of that size; the jackknife that gives its intervals cuts them into groups.
    """

    signals: Signals = field(default_factory=signals)
    epsilons: Grid[Share] = tuple(k / 20 for k in range(1, 21))
    replications: Count = 20000
    groups: Steps = 20
    sample_size: Large = 10**10
    counterexample: Counterexample = Counterexample()

    def __post_init__(self) -> None:
        require(
            self.replications % self.groups == 0,
            "replications must be a multiple of groups: the jackknife leaves out whole groups",
        )
