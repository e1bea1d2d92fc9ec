"""What the study of structured release can be asked for."""

from __future__ import annotations

from replication.settings import Count, Grid, Large, Positive, Probability, Steps, settings


@settings
class Score:
    """Lengths and labels of the chain, the chance that a label stays, exact levels, and the error to be reached."""

    lengths: Grid[Count] = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50)
    labels: Grid[Steps] = (2, 10)
    stay: Probability = 0.6
    epsilons: Grid[Positive] = (1.0, 4.0)
    standard_error: Positive = 0.1
    # More records than this cannot be had.
    people: Large = 8 * 10**9
