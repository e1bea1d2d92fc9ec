"""What the study of directions can be asked for."""

from __future__ import annotations

from replication.settings import Count, Positive, Probability, Real, settings


@settings
class Score:
    """The true weights, the law of the inputs, the noise, and the numbers of observations."""

    theta: tuple[Real, ...]
    variances: tuple[Positive, ...]
    shift: tuple[Real, ...]
    label_flips: tuple[Probability, Probability]
    input_noise: Positive
    sizes: tuple[Count, ...]


@settings
class Figure:
    """The stages of the figure."""

    score: Score
