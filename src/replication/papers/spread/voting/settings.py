"""What the voting example can be asked for."""

from __future__ import annotations

from replication.settings import Count, Flip, Grid, Probability, settings


@settings
class Score:
    """Elections with flipped votes (pairs p10, zero reported as one, and p01), and one voter who is asked so often."""

    voters: Grid[Count] = (100, 1000, 10_000)
    shares: Grid[Probability] = (0.05, 0.25, 0.5, 0.75, 0.95)
    flips: Grid[tuple[Flip, Flip]] = ((0.2, 0.2), (0.1, 0.35))
    releases: Grid[Count] = (*range(1, 11), 12, 14, 16, 18, 20, 25, 30, 35, 40)
    release_flips: Grid[Flip] = (0.2, 0.3, 0.4)
