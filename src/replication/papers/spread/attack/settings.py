"""What the attack on released digits can be asked for."""

from __future__ import annotations

from typing import Literal

from replication.settings import Count, Flip, Folds, Grid, Inside, Positive, settings
from unveil.errors import require


@settings
class Levels:
    """How many users there are, a digit each, among whose images, and the noise: flips alike of pixels and labels, or
    Gaussian noise on pixels in [0, 1] and flips of the label.
    """

    users: Count = 300
    candidates: Count = 5000
    p_flips: Grid[Flip] = (0.1, 0.2, 0.3, 0.4)
    variances: Grid[Positive] = (0.1, 0.5)
    label_flip: Flip = 0.2

    def __post_init__(self) -> None:
        require(self.users <= self.candidates, "there are more users than candidates")


@settings
class Learn(Levels):
    """How often the attacker veils each of its own digits to learn from, and how it tunes its classifier."""

    copies: Count = 3
    l2s: Grid[Positive] = (0.0001, 0.001, 0.01, 0.1, 1)
    folds: Folds = 4


@settings
class Score(Levels):
    """How sure the attacker must be to count as sure."""

    sure: Inside = 0.95


@settings
class Figure:
    """The stages of the figure."""

    release: dict[Literal["noisy"], Levels]
    learn: dict[Literal["attacker"], Learn]
