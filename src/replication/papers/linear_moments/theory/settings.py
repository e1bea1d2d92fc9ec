"""What the check of the paper's mathematics can be asked for."""

from __future__ import annotations

from typing import Literal

from replication.papers.linear_moments.settings import Supervision
from replication.settings import Count, Positive, Real, Share, settings


@settings
class Score:
    """Privacy levels, chances of a truthful answer, parameters of section 5, and sizes of samples of counts."""

    alphas: tuple[Positive, ...]
    epsilons: tuple[Share, ...]
    signals: dict[Literal["weak", "strong"], tuple[Real, ...]]
    vanishing: Share
    supervision: Supervision
    sizes: tuple[Count, ...]
