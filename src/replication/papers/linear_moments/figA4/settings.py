"""What the figure of appendix A.4 can be asked for."""

from __future__ import annotations

from replication.settings import Count, Grid, Positive, Share, settings


@settings
class Score:
    """The grid of populations and privacy levels."""

    # d, δ̄/d, E‖φ‖₁ over its largest value, and a statistic that is not zero: 1 is binary.
    dimensions: Grid[Count] = (10, 30, 100, 300, 1000)
    densities: Grid[Share] = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
    fills: Grid[Share] = (0.3, 1.0)
    sizes: Grid[Share] = (0.5, 1.0)
    alphas: Grid[Positive] = (0.1, 0.3, 1.0, 3.0, 10.0)
