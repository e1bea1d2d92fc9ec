"""California housing: 8 attributes of 20640 block groups and the median house value, in dollars.

The copy in a package holds averages per household; the counts they were made from are recovered exactly by
rounding.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.random import Generator

from replication.data.compressed import open_unpacked
from replication.data.reading import explain, read_table, require_rows
from replication.data.scaling import add_scaled
from replication.data.standins import draw_regression
from unveil.types import Array

_AVERAGES = [
    "MedInc", "HouseAge", "AveRooms", "AveBedrms", "Population", "AveOccup", "Latitude", "Longitude", "MedHouseVal",
]  # fmt: skip


def prepare(raw: Path) -> dict[str, Array]:
    """The fields from the original file, with or without a header line, or from the package's copy."""
    if (raw / "california_housing.parquet").exists():
        values = _from_averages(raw / "california_housing.parquet")
    else:
        values = _original(raw / "cal_housing.data")
    return add_scaled(values[:, :8], values[:, 8])


def _original(path: Path) -> Array:
    with explain(path), open_unpacked(path) as file:
        header = file.readline(200).startswith(b"longitude")
    return read_table(path, 9, header=0 if header else None)


def _from_averages(path: Path) -> Array:
    """Counts from averages: a count is whole, so that rounding removes what the division left."""
    with explain(path), path.open("rb") as file:
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
    """20640 rows with a noisy linear target of at most 500,001 dollars."""
    return add_scaled(*draw_regression(rng, 20640, 8, highest=500_001.0))
