"""What the table of exact privacy can be asked for."""

from __future__ import annotations

from replication.settings import Count, Flip, Grid, Inside, Positive, Steps, settings


@settings
class Score:
    """The noise levels, the size of an image, and the δ that is allowed it."""

    p_flips: Grid[Flip] = (0.1, 0.2, 0.3, 0.4)
    variances: Grid[Positive] = (0.1, 0.5)
    pixels: Count = 784
    states: Steps = 256
    delta: Inside = 1e-5
