"""What the check of the paper's mathematics can be asked for."""

from __future__ import annotations

from dataclasses import field

from replication.papers.linear_moments.settings import THREE_BY_THREE, Signals, Supervision, signals
from replication.settings import Count, Grid, Positive, Share, settings


@settings
class Score:
    """Privacy levels, chances of a truthful answer, parameters of section 5, and sizes of samples of counts."""

    alphas: Grid[Positive] = (0.5, 1.0, 3.0)
    epsilons: Grid[Share] = (0.05, 0.2, 0.5, 1.0)
    signals: Signals = field(default_factory=signals)
    # Where the leading term in ε is looked at.
    vanishing: Share = 0.001
    supervision: Supervision = THREE_BY_THREE
    sizes: Grid[Count] = (100, 1000, 10000, 100000)
