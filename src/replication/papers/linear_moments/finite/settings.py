"""What the study of finite samples can be asked for."""

from __future__ import annotations

from typing import Annotated

from replication.settings import Count, Grid, Positive, Real, Several, Share, settings


@settings
class Score:
    """The parameters, the levels of the response, the sizes of the samples, and the log-odds taken for infinite."""

    thetas: Grid[Annotated[tuple[Real, ...], Several]] = ((2.0, -0.1), (5.0, -1.0))
    epsilons: Grid[Share] = (0.1, 0.3, 0.6, 0.9)
    sizes: Grid[Count] = (100, 1000, 10000, 100000)
    infinite: Positive = 20.0
