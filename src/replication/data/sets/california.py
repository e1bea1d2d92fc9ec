"""California housing: 8 attributes of 20640 block groups and the median house value, in dollars.

The copy in a package holds averages per household; the counts they were made from are recovered exactly by
rounding.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.random import Generator

from replication.data.compressed import unpacked
from replication.data.reading import explained, require_rows, table
from replication.data.scaling import with_scaled
from replication.data.standins import linear_target, mixed_columns
from unveil.types import Array

#: (smallest, typical, largest) of each column of the original, for the stand-in.
_RANGES = np.array(
    [
        [-124.35, -118.5, -114.31], [32.54, 34.26, 41.95], [1, 29, 52], [2, 2127, 39320],
        [1, 435, 6445], [3, 1166, 35682], [1, 409, 6082], [0.5, 3.53, 15.0],
    ]
)  # fmt: skip
_SIGNS = np.array([-0.3, -0.3, 0.15, -0.1, 0.2, -0.3, 0.2, 0.8])
_AVERAGES = [
    "MedInc", "HouseAge", "AveRooms", "AveBedrms", "Population", "AveOccup", "Latitude", "Longitude", "MedHouseVal",
]  # fmt: skip


def prepare(raw: Path) -> dict[str, Array]:
    """The fields from the original file, with or without a header line, or from the package's copy."""
    if (raw / "california_housing.parquet").exists():
        values = _from_averages(raw / "california_housing.parquet")
    else:
        values = _original(raw / "cal_housing.data")
    return with_scaled(values[:, :8], values[:, 8])


def _original(path: Path) -> Array:
    with explained(path), unpacked(path) as file:
        header = file.readline(200).startswith(b"longitude")
    return table(path, 9, header=0 if header else None)


def _from_averages(path: Path) -> Array:
    """Counts from averages: a count is whole, so that rounding removes what the division left."""
    with explained(path), path.open("rb") as file:
        frame = pd.read_parquet(file)[_AVERAGES]
    values = frame.to_numpy(dtype=np.float64)
    require_rows(
        path, np.isfinite(values).all() and len(values) and (values[:, 5] > 0).all(), "has missing or impossible values"
    )
    income, age, rooms, bedrooms, people, occupancy, latitude, longitude, value = values.T
    households = np.rint(people / occupancy)
    counts = [np.rint(rooms * households), np.rint(bedrooms * households), people, households]
    return np.stack([longitude, latitude, age, *counts, income, np.rint(value * 1e5)], axis=1)


def stand_in(rng: Generator) -> dict[str, Array]:
    """20640 rows with the original's ranges and a noisy linear target between 15,000 and 500,001 dollars."""
    features = mixed_columns(rng, 20640, _RANGES)
    target = linear_target(rng, features, _SIGNS, noise=0.6, low=14_999.0, middle=180_000.0, high=500_001.0)
    return with_scaled(features, target)
