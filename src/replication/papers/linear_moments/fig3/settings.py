"""What figure 3 can be asked for."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge

from replication.settings import Count, Real, Share, settings
from unveil.errors import require


@settings
class Counterexample:
    """A one-parameter family, φ of each state, whose efficiency does not rise with ε, and its θ."""

    statistics: tuple[Real, ...]
    theta: Real


@settings
class Score:
    """The grid, the Monte-Carlo check, and a model to the contrary."""

    signals: dict[Literal["weak", "strong"], tuple[Real, ...]]
    epsilons: tuple[Share, ...]
    replications: Count
    groups: Annotated[int, Ge(2)]
    sample_size: Count
    counterexample: Counterexample

    def __post_init__(self) -> None:
        require(
            self.replications % self.groups == 0,
            "replications must be a multiple of groups: the jackknife leaves out whole groups",
        )
