"""What a linear classifier with a cross-validated ridge can be asked for."""

from __future__ import annotations

from replication.settings import Count, Folds, Grid, Level, Positive, settings

Levels = Grid[Level]


@settings
class Tuning:
    """The ridges λ‖θ‖² among which cross-validation on the reported labels chooses, and how far every fit goes.

    A likelihood that samples labels draws so many; a fit ends when the largest entry of its gradient is this small.
    """

    l2s: Grid[Positive] = (0.0000001, 0.000001, 0.00001, 0.0001, 0.001, 0.01, 0.1, 1, 10)
    folds: Folds = 5
    samples: Count = 10
    tolerance: Positive = 0.000003
