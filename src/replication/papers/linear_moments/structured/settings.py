"""What the study of structured release can be asked for."""

from __future__ import annotations

from replication.settings import Count, Positive, Probability, settings


@settings
class Score:
    """Lengths and labels of the chain, the chance that a label stays, exact levels, and the error to be reached."""

    lengths: tuple[Count, ...]
    labels: tuple[Count, ...]
    stay: Probability
    epsilons: tuple[Positive, ...]
    standard_error: Positive
    people: Count
