"""What the check of appendix B can be asked for."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Ge, Le

from replication.settings import Flip, FlipOrNone, Grid, Positive, Several, settings


@settings
class Score:
    """Flips of the labels (zero to one, one to zero), variances along the axes, and numbers of binary inputs.

    `p_flips`: of labels and inputs alike.
    """

    label_flips: Grid[tuple[FlipOrNone, FlipOrNone]] = ((0.2, 0.2), (0.2, 0.1), (0.4, 0.1))
    variances: Annotated[tuple[Positive, ...], Several] = (0.25, 0.5, 1.0, 2.0, 4.0)
    p_flips: Grid[Flip] = (0.1, 0.2, 0.3, 0.4)
    inputs: Grid[Annotated[int, Ge(1), Le(16)]] = (4, 8, 10)
