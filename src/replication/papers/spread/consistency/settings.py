"""What the study of consistency can be asked for."""

from __future__ import annotations

from replication.settings import Count, Probability, Real, settings


@settings
class Score:
    """True weights, the binary inputs' log-odds and what couples neighbours, the flips, the numbers of observations."""

    theta: tuple[Real, ...] = (1.5, -1.0, 2.0, -2.0)
    logits: tuple[Real, ...] = (-1.0, 0.5, -0.5, 1.0)
    coupling: Real = 1.0
    p_flips: tuple[Probability, ...] = (0.1, 0.3)
    sizes: tuple[Count, ...] = (1000, 10_000, 100_000, 1_000_000)
