"""HIGGS: collisions that made a Higgs boson and background, in 21 measured and 7 derived features.

Every feature is standardised over the rows at hand (mean zero, variance one), as the kernels of the
experiments need one scale.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.random import Generator

from replication.data.reading import number_classes, read_table, require_rows
from replication.data.standins import draw_blobs, draw_labels
from unveil.types import Array

FEATURES = 28


def prepare(raw: Path) -> dict[str, Array]:
    """The fields from rows of the original file, or from the tab-separated excerpt of a package."""
    excerpt = raw / "binary.train"
    path, separator = (excerpt, "\t") if excerpt.exists() else (raw / "HIGGS.csv", ",")
    values = read_table(path, 1 + FEATURES, sep=separator)
    require_rows(path, (values[:, 1:].std(axis=0) > 0).all(), "has a constant column")
    return {"features": _standardise(values[:, 1:]), "labels": number_classes(path, values[:, 0], [0, 1])}


def _standardise(values: Array) -> Array:
    standard: Array = ((values - values.mean(axis=0)) / values.std(axis=0)).astype(np.float32)
    return standard


def stand_in(rng: Generator) -> dict[str, Array]:
    """50000 rows: two classes that overlap widely and differ in middles and, in derived features, in spread."""
    labels = draw_labels(rng, 50_000, [0.47, 0.53])
    features = draw_blobs(rng, labels, FEATURES, classes=2, distance=0.9).astype(np.float64)
    features[:, 21:] *= np.where(labels == 1, 0.8, 1.2)[:, None]
    return {"features": _standardise(features), "labels": labels}
