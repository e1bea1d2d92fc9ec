"""Small data sets of the right kinds, and a way through all of a figure's stages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from replication.arrays import Named
from replication.data.scaling import unit_rows
from stages import run, scored
from unveil.types import Array

DATASETS = ("census", "mnist", "breast_cancer")
PRIVATE = ("labels", "sevens_nines_labels")


@cache
def fields() -> dict[str, dict[str, Array]]:
    """Three tasks that a linear separator nearly solves."""
    rng = np.random.default_rng(0)
    census = (rng.random((900, 6)) < 0.4).astype(float)
    digits = rng.normal(size=(530, 50)) * np.geomspace(1, 0.1, 50)
    tumours = rng.normal(size=(300, 4))
    return {
        "census": {
            "unit_features": unit_rows(census),
            "labels": (census @ [2, -1, 1, 0, -2, 1] + rng.normal(0, 0.5, 900) > 0.6).astype(np.uint8),
            "split": (np.arange(900) >= 600).astype(np.uint8),
        },
        "mnist": {
            "sevens_nines_features": unit_rows(digits),
            "sevens_nines_labels": np.where(digits[:, 0] + rng.normal(0, 0.2, 530) > 0, 1, -1).astype(np.int8),
            "sevens_nines_split": (np.arange(530) % 4 == 0).astype(np.uint8),
        },
        "breast_cancer": {
            "unit_features": unit_rows(tumours),
            "labels": (tumours[:, 1] + tumours[:, 0] > 0.2).astype(np.uint8),
        },
    }


def public() -> dict[str, dict[str, Array]]:
    """What the learner sees of them."""
    return {
        dataset: {name: array for name, array in arrays.items() if name not in PRIVATE}
        for dataset, arrays in fields().items()
    }


def walk(
    figure: str, arms: Mapping[str, Mapping[str, Any]], trials: int
) -> tuple[dict[str, list[Named]], pd.DataFrame]:
    """Release, learn and score every arm: (what was learnt, scores)."""
    place = f"mean_operator.{figure}"
    learned: dict[str, list[Named]] = {arm: [] for arm in arms}
    for arm, values in arms.items():
        for number in range(trials):
            released = run(place, "release", arm, number, [fields()], values)
            learned[arm].append(run(place, "learn", arm, number, [{arm: released}, public()], values))
    return learned, scored(place, trials, {}, learned, fields())
