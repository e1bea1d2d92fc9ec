"""What figure 3 can be asked for."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge

from replication.settings import Count, Real, Share, settings
from unveil.errors import require


@settings
class Score:
    """The grid, and the Monte-Carlo check."""

    signals: dict[Literal["weak", "strong"], tuple[Real, ...]]
    epsilons: tuple[Share, ...]
    replications: Count
    groups: Annotated[int, Ge(2)]
    sample_size: Count

    def __post_init__(self) -> None:
        require(
            self.replications % self.groups == 0,
            "replications must be a multiple of groups: the jackknife leaves out whole groups",
        )


@settings
class Figure:
    """The figure's stages and their arms."""

    score: Score
