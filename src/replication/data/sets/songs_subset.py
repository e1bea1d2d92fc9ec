"""8162 real rows of YearPredictionMSD, with a split of their own: a random but fixed tenth is for testing.

Where only the whole file could be had, as many rows are taken from it at equal distances.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.random import Generator

from replication.data.sets.songs import draw_songs, read_years, scale_songs
from replication.data.standins import draw_split
from replication.randomness import generator
from unveil.types import Array

ROWS = 8162


def prepare(raw: Path) -> dict[str, Array]:
    """The fields from the sample, or from the whole file thinned out."""
    if (raw / "YearPredictionMSD.txt").exists():
        features, target = read_years(raw / "YearPredictionMSD.txt")
        kept = np.linspace(0, len(target) - 1, min(ROWS, len(target))).astype(np.int64)
        features, target = features[kept], target[kept]
    else:
        features, target = read_years(raw / "YearPredictionMSD.sample.csv")
    return _fields(features, target)


def _fields(features: Array, target: Array) -> dict[str, Array]:
    """All fields; the split is the same for everybody, whatever the experiments' seed."""
    split = draw_split(generator(0, "split", "songs_subset"), len(target), 0.1)
    return scale_songs(features, target, split)


def stand_in(rng: Generator) -> dict[str, Array]:
    """As many rows of the model of the full-size stand-in."""
    return _fields(*draw_songs(rng, ROWS))
