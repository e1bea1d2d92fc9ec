"""Figure 4: a seven and a nine as they leave their owner, pixel by pixel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from replication.papers.spread.digits import choose
from replication.papers.spread.pictures import grid
from replication.randomness import Trial
from unveil.mechanisms.gaussian_noise import GaussianInputNoise
from unveil.types import Arrays


def score(
    learned: Mapping[str, Sequence[Arrays]],
    fields: Mapping[str, Arrays],
    trials: Sequence[Trial],
    *,
    variances: Sequence[float],
) -> pd.DataFrame:
    """Clean (level 0) and with every variance; one digit of each kind, drawn at random."""
    digits = choose(fields["mnist"], 1, 1, trials[0].public)
    images = fields["mnist"]["images"][digits.train]
    scaled = images / 255
    noisy = {variance: GaussianInputNoise(variance).release(scaled, trials[0].rng) for variance in variances}
    return grid({0.0: scaled, **noisy}, digits.train_labels, "gaussian")
