"""What the study of directions can be asked for."""

from __future__ import annotations

from typing import Annotated

from replication.settings import Count, FlipOrNone, Grid, Positive, Real, Several, settings
from unveil.errors import require


@settings
class Score:
    """The true weights, the law of the inputs, the noise, and the numbers of observations.

    The inputs have these variances along random axes, or their mean in all directions, and are centred or at `shift`;
    labels flip from zero to one and from one to zero, and noise of the variance `input_noise` is added to the inputs.
    """

    theta: Annotated[tuple[Real, ...], Several] = (1.0, -1.0, 0.5, 0.0, 0.5)
    variances: tuple[Positive, ...] = (0.25, 0.5, 1.0, 2.0, 4.0)
    shift: tuple[Real, ...] = (1.0, 0.5, 0.0, -0.5, 0.0)
    label_flips: tuple[FlipOrNone, FlipOrNone] = (0.2, 0.1)
    input_noise: Positive = 1.0
    sizes: Grid[Count] = (1000, 10_000, 100_000)

    def __post_init__(self) -> None:
        alike = len(self.theta) == len(self.variances) == len(self.shift)
        require(alike, "theta, variances and shift must be as long as one another")
