"""SensIT Vehicle (acoustic): which of three kinds of vehicle passed, from 50 features of a sound.

The published scaled files are used: every feature lies in [-1, 1].
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.random import Generator
from sklearn.datasets import load_svmlight_file

from replication.data.compressed import open_unpacked
from replication.data.reading import explain, number_classes, require_rows, split_in_order
from replication.data.standins import draw_blobs, draw_labels, draw_split
from unveil.types import Array

FEATURES = 50
_STAND_IN_ROWS = 78_823


def prepare(raw: Path) -> dict[str, Array]:
    """The official training part, then the official test part."""
    features, labels = zip(*(_part(raw / name) for name in ("acoustic_scale", "acoustic_scale.t")), strict=True)
    split = split_in_order(*map(len, labels))
    return {"features": np.concatenate(features), "labels": np.concatenate(labels), "split": split}


def _part(path: Path) -> tuple[Array, Array]:
    with explain(path), open_unpacked(path) as file:
        sparse, kinds = load_svmlight_file(file, n_features=FEATURES, dtype=np.float32, zero_based=False)
    features = np.ascontiguousarray(sparse.toarray())
    require_rows(path, len(kinds) and np.isfinite(features).all(), "has no rows, or values that are not finite")
    return features, number_classes(path, kinds, [1, 2, 3])


def stand_in(rng: Generator) -> dict[str, Array]:
    """As many rows as the official training part, half of them of the third kind; a fifth is for testing."""
    labels = draw_labels(rng, _STAND_IN_ROWS, [0.25, 0.25, 0.5])
    features = np.tanh(0.5 * draw_blobs(rng, labels, FEATURES, classes=3, distance=2.0)).astype(np.float32)
    return {"features": features, "labels": labels, "split": draw_split(rng, _STAND_IN_ROWS, 0.2)}
