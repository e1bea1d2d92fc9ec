"""What the attack on released digits can be asked for."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge

from replication.settings import Count, Inside, Positive, settings

Noise = Literal["pixel_flip", "gaussian"]


@settings
class Levels:
    """How many users there are, a digit each, and the noise on their images and labels."""

    users: Count
    candidates: Count
    p_flips: tuple[Inside, ...]
    variances: tuple[Positive, ...]
    label_flip: Inside


@settings
class Learn(Levels):
    """How often the attacker veils each of its own digits to learn from, and how it tunes its classifier."""

    copies: Count
    l2s: tuple[Positive, ...]
    folds: Annotated[int, Ge(2)]


@settings
class Score(Levels):
    """How sure the attacker must be to count as sure."""

    sure: Inside


@settings
class Figure:
    """The stages of the figure."""

    release: dict[Literal["noisy"], Levels]
    learn: dict[Literal["attacker"], Learn]
    score: Score
