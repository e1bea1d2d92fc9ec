"""What figure 3 can be asked for."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge

from replication.papers.spread.settings import Ascent, Checkpoints, Flipped
from replication.settings import Count, NotNegative, settings

Method = Literal[
    "clean",
    "noisy",
    "spread_flat",
    "spread_learned",
    "spread_true",
    "spread_centred",
    "noisy_l2_centred",
    "class_means",
]


@settings
class Learn(Flipped, Ascent):
    """The methods, their importance samples, and the penalties among which cross-validation chooses."""

    methods: tuple[Method, ...]
    samples: Count
    penalties: tuple[NotNegative, ...]
    folds: Annotated[int, Ge(2)]


@settings
class Score(Flipped, Checkpoints):
    """What the referee draws anew, and where the learners were stopped."""


@settings
class Figure:
    """The stages of the figure."""

    release: dict[Literal["noisy"], Flipped]
    learn: dict[Literal["private", "peeking"], Learn]
    score: Score
