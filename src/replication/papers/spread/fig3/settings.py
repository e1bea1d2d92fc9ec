"""What figure 3 can be asked for."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge

from replication.papers.spread.settings import Ascent, Checkpoints, Flipped
from replication.settings import Count, Inside, Positive, settings

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


#: As the paper does it, from a random start until convergence; or from zero, as many steps for all.
Protocol = Literal["converged", "steps"]


@settings
class Learn(Flipped, Ascent):
    """The methods, how they go and how far, their importance samples, and the penalties for cross-validation."""

    protocol: Protocol
    methods: tuple[Method, ...]
    samples: Count
    most: Count
    moved: Inside
    penalties: tuple[Positive, ...]
    folds: Annotated[int, Ge(2)]


@settings
class Score(Flipped, Checkpoints):
    """What the referee draws anew, and where the learners were stopped; `most`: where, if they had not converged."""

    most: Count


@settings
class Figure:
    """The stages of the figure."""

    release: dict[Literal["noisy"], Flipped]
    learn: dict[Literal["private", "peeking", "converged", "converged_peeking"], Learn]
    score: Score
