"""What the voting example can be asked for."""

from __future__ import annotations

from replication.settings import Count, Inside, Probability, settings


@settings
class Score:
    """Elections with flipped votes, and one voter who is asked again and again."""

    voters: tuple[Count, ...]
    shares: tuple[Probability, ...]
    flips: tuple[tuple[Inside, Inside], ...]
    releases: tuple[Count, ...]
    release_flips: tuple[Inside, ...]


@settings
class Figure:
    """The stages of the figure."""

    score: Score
