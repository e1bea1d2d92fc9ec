"""Boston housing: 13 attributes of 506 census tracts and the median value of their homes, in 1000 dollars.

There is no split: each trial draws its own.
"""

from __future__ import annotations

from pathlib import Path

from numpy.random import Generator

from replication.data.reading import read_table
from replication.data.scaling import add_scaled
from replication.data.standins import draw_regression
from unveil.types import Array


def prepare(raw: Path) -> dict[str, Array]:
    """The fields from the whitespace-separated original or from the comma-separated copy with a header."""
    if (raw / "housing.csv").exists():
        values = read_table(raw / "housing.csv", 14, header=0)
    else:
        values = read_table(raw / "housing.data", 14, sep=r"\s+")
    return add_scaled(values[:, :13], values[:, 13])


def stand_in(rng: Generator) -> dict[str, Array]:
    """506 rows with a noisy linear target of at most 50."""
    return add_scaled(*draw_regression(rng, 506, 13, highest=50.0))
