"""What figure 1 can be asked for."""

from __future__ import annotations

from typing import Literal

from replication.papers.mean_operator.settings import Loss, OtherLoss
from replication.settings import Grid, Positive, Steps, settings


@settings
class Score:
    """Which losses, a panel each, on which grid of margins from −reach to reach."""

    losses: Grid[Literal[Loss, OtherLoss]]
    reach: Positive = 3.0
    points: Steps = 241
