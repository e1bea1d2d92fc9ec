"""What the figure of appendix A.4 can be asked for."""

from __future__ import annotations

from replication.settings import Count, Positive, Share, settings


@settings
class Score:
    """The grid of populations and privacy levels."""

    dimensions: tuple[Count, ...]
    densities: tuple[Share, ...]
    fills: tuple[Share, ...]
    sizes: tuple[Share, ...]
    alphas: tuple[Positive, ...]
