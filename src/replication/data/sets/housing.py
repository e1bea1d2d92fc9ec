"""Boston housing: 13 attributes of 506 census tracts and the median value of their homes, in 1000 dollars.

There is no split: each trial draws its own.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.random import Generator

from replication.data.reading import table
from replication.data.scaling import with_scaled
from replication.data.standins import linear_target, mixed_columns
from unveil.types import Array

#: (smallest, typical, largest) of each attribute, from the published description: the stand-in's ranges.
_RANGES = np.array(
    [
        [0.006, 0.26, 89.0], [0, 5, 100], [0.5, 9.7, 27.7], [0, 0.05, 1], [0.385, 0.54, 0.871], [3.6, 6.2, 8.8],
        [2.9, 77, 100], [1.1, 3.2, 12.1], [1, 5, 24], [187, 330, 711], [12.6, 19, 22], [0.3, 391, 397],
        [1.7, 11.4, 38],
    ]
)  # fmt: skip
_SIGNS = np.array([-0.1, 0.1, 0, 0.1, -0.2, 0.5, -0.1, -0.1, 0, -0.1, -0.3, 0.1, -0.6])


def prepare(raw: Path) -> dict[str, Array]:
    """The fields from the whitespace-separated original or from the comma-separated copy with a header."""
    if (raw / "housing.csv").exists():
        values = table(raw / "housing.csv", 14, header=0)
    else:
        values = table(raw / "housing.data", 14, sep=r"\s+")
    return with_scaled(values[:, :13], values[:, 13])


def stand_in(rng: Generator) -> dict[str, Array]:
    """506 rows with the original's ranges and a noisy linear target between 5 and 50."""
    features = mixed_columns(rng, 506, _RANGES)
    features[:, 3] = features[:, 3] > 0.5
    target = linear_target(rng, features, _SIGNS, noise=0.6, low=5.0, middle=21.0, high=50.0)
    return with_scaled(features, target)
