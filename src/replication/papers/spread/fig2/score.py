"""Figure 2: a seven and a nine as they leave their owner, pixel by pixel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from replication.papers.spread.digits import choose
from replication.papers.spread.pictures import grid
from replication.randomness import Trial
from unveil.mechanisms.flips import PixelFlips
from unveil.types import Arrays


def score(
    learned: Mapping[str, Sequence[Arrays]],
    fields: Mapping[str, Arrays],
    trials: Sequence[Trial],
    *,
    p_flips: Sequence[float],
) -> pd.DataFrame:
    """Clean (level 0) and with every flip probability; one digit of each kind, drawn at random."""
    digits = choose(fields["mnist"], 1, 1, trials[0].public)
    images = fields["mnist"]["images"][digits.train]
    noisy = {p_flip: PixelFlips(p_flip).release(images, trials[0].rng) / 255 for p_flip in p_flips}
    return grid({0.0: images / 255, **noisy}, digits.train_labels, "pixel_flip")
