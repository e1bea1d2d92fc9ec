"""What the figure of the bounds can be asked for."""

from __future__ import annotations

from replication.papers.mean_operator.settings import Loss
from replication.settings import Count, Grid, Inside, Positive, settings


@settings
class Score:
    """Dimensions, a loss a panel of theorem 6, m records, the level α of a label, and λ.

    Theorem 10 may fail with these chances; its θ lies in the ball of this radius, and its noise is drawn so often.
    """

    dimensions: Grid[Count] = (1, 2, 3, 5, 10, 20, 50, 100)
    losses: Grid[Loss] = ("logistic", "square", "matsushita", "modified_huber", "linear")
    m: Count = 500
    alpha: Positive = 1.0
    l2: Positive = 0.1
    deltas: Grid[Inside] = (0.01, 0.05)
    radius: Positive = 1.0
    draws: Count = 100_000
