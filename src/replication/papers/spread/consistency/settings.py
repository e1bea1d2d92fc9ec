"""What the study of consistency can be asked for."""

from __future__ import annotations

from replication.settings import Count, Probability, Real, settings


@settings
class Score:
    """True weights, the law of binary inputs, the flips, and the numbers of observations."""

    theta: tuple[Real, ...]
    logits: tuple[Real, ...]
    coupling: Real
    p_flips: tuple[Probability, ...]
    sizes: tuple[Count, ...]


@settings
class Figure:
    """The stages of the figure."""

    score: Score
