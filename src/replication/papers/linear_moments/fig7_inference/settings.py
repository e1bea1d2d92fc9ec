"""What the comparison of beam and exact inference can be asked for."""

from __future__ import annotations

from replication.papers.linear_moments.settings import Corpus, Evaluated, Inference, Optimizer, Regions, Windows
from replication.settings import Count, Nothing, Positive, settings


@settings
class Learn(Evaluated):
    """The window sizes that each inference trains on, and the windows on which inferences are compared."""

    windows: Windows
    trained: dict[Inference, Windows]
    optimizer: Optimizer
    rate: Positive
    probes: Count
    probe_states: Count


@settings
class Figure:
    """The figure's stages and their arms."""

    release: dict[Corpus, Regions]
    learn: dict[Corpus, Learn]
    score: Nothing
