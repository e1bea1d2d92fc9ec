"""What figure 1 can be asked for."""

from __future__ import annotations

from replication.settings import FlipOrNone, Grid, Steps, settings


@settings
class Score:
    """The flip probabilities, and how many true values from 0 to 1."""

    p_flips: Grid[FlipOrNone] = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4)
    points: Steps = 400
