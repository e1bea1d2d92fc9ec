"""What the comparison of beam and exact inference can be asked for."""

from __future__ import annotations

from typing import Annotated, Literal

from replication.papers.linear_moments.fig7.settings import Corpus, Evaluated, Regions, Steps, Windows
from replication.settings import Count, Several, settings

Inference = Literal["exact", "merged", "beam"]


@settings
class Learn(Evaluated, Steps):
    """The window sizes that each inference trains on, and how many windows it is compared on.

    They are drawn from those with at most `probe_states` count vectors.
    """

    windows: Windows
    trained: Annotated[dict[Inference, Windows | None], Several]
    probes: Count = 300
    probe_states: Count = 200000


@settings
class Figure:
    """The figure's stages and their arms."""

    release: dict[Corpus, Regions]
    learn: dict[Corpus, Learn]
