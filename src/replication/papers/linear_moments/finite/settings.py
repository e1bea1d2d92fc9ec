"""What the study of finite samples can be asked for."""

from __future__ import annotations

from replication.settings import Count, Positive, Real, Share, settings


@settings
class Score:
    """The parameters, the levels of the response, the sizes of the samples, and the log-odds taken for infinite."""

    thetas: tuple[tuple[Real, ...], ...]
    epsilons: tuple[Share, ...]
    sizes: tuple[Count, ...]
    infinite: Positive
