"""What the study of finite samples can be asked for."""

from __future__ import annotations

from replication.settings import Count, Positive, Real, Share, settings


@settings
class Score:
    """The parameters, the levels of the response, the sizes of the samples, and the log-odds taken for infinite."""

    thetas: tuple[tuple[Real, ...], ...] = ((2.0, -0.1), (5.0, -1.0))
    epsilons: tuple[Share, ...] = (0.1, 0.3, 0.6, 0.9)
    sizes: tuple[Count, ...] = (100, 1000, 10000, 100000)
    infinite: Positive = 20.0
