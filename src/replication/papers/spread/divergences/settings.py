"""What the study of other divergences can be asked for."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Ge, Gt, Lt

from replication.settings import Count, Probability, Real, settings


@settings
class Score:
    """Flip probabilities, numbers of observations, true shares; and how many of them in the limit of much data."""

    p_flips: tuple[Annotated[Real, Gt(0), Lt(0.5)], ...] = (0.1, 0.3)
    sizes: tuple[Count, ...] = (100, 1000)
    truths: tuple[Probability, ...] = (0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95)
    points: Annotated[int, Ge(2)] = 41
