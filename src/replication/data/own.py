"""Tables of one's own, `data/tables/<name>.csv`: each is a data set of that name.

Its first line names the columns. One of them is called `target`, a number, or `label`, a class; the others are numbers.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from replication.data.reading import explain, require_rows
from replication.data.scaling import add_scaled, standardise, unit_rows
from replication.settings import own_tables
from unveil.errors import require
from unveil.types import Array

#: What each kind of table becomes.
FIELDS = {
    "target": {
        "features": "numbers, as they are",
        "target": "numbers, as they are",
        "scaled_features": "the features in [0, 1] by their ranges",
        "scaled_target": "the target over its largest value",
    },
    "label": {
        "features": "numbers, as they are",
        "labels": "the place of each class among all, in order",
        "unit_features": "the features standardised, with a constant, of norm one",
    },
}


def find_tables() -> Iterator[tuple[str, Path, dict[str, str]]]:
    """Every table by its name, where it lies, and the fields that it becomes."""
    for path in own_tables():
        with path.open(encoding="utf-8-sig", newline="") as lines:
            names = next(csv.reader(lines), [])
        kinds = [kind for kind in FIELDS if kind in names]
        require(len(kinds) == 1, f"{path} must have a column called target, numbers, or one called label, classes")
        yield path.stem, path, FIELDS[kinds[0]]


def prepare(raw: Path) -> dict[str, Array]:
    """The fields of the one table that was fetched."""
    (path,) = raw.glob("*.csv")
    with explain(path):
        frame = pd.read_csv(path)
        own = frame.pop("target" if "target" in frame else "label")
        features = frame.to_numpy(dtype=np.float64)
    require_rows(path, len(own) > 1 and features.shape[1], "needs rows, and columns beside the one to learn")
    require_rows(path, np.isfinite(features).all() and own.notna().all(), "has missing or infinite values")
    if own.name == "target":
        with explain(path):
            target = own.to_numpy(dtype=np.float64)
        require_rows(path, (target >= 0).all() and target.max() > 0, "needs a target of at least 0: shift it")
        return add_scaled(features, target)
    classes, labels = np.unique(own.astype(str), return_inverse=True)
    require_rows(path, 1 < len(classes) <= 256, f"has {len(classes)} classes; from 2 to 256 can be")
    return {
        "features": features.astype(np.float32),
        "labels": labels.astype(np.uint8),
        "unit_features": unit_rows(standardise(features)),
    }
