"""What the study of consistency can be asked for."""

from __future__ import annotations

from typing import Annotated

from replication.settings import Count, Flip, Grid, Real, Several, settings
from unveil.errors import require


@settings
class Score:
    """True weights, the binary inputs' log-odds and what couples neighbours, the flips, the numbers of observations."""

    theta: Annotated[tuple[Real, ...], Several] = (1.5, -1.0, 2.0, -2.0)
    logits: tuple[Real, ...] = (-1.0, 0.5, -0.5, 1.0)
    coupling: Real = 1.0
    p_flips: Grid[Flip] = (0.1, 0.3)
    sizes: Grid[Count] = (1000, 10_000, 100_000, 1_000_000)

    def __post_init__(self) -> None:
        require(len(self.theta) == len(self.logits), "theta and logits must be as long as one another")
