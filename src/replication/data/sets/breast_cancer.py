"""Breast Cancer Wisconsin (diagnostic), as scikit-learn carries it: 569 tumours, 30 measurements."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.random import Generator
from sklearn.datasets import load_breast_cancer

from replication.data.scaling import standardise, unit_rows
from replication.data.standins import draw_blobs, draw_labels
from unveil.types import Array


def prepare(raw: Path) -> dict[str, Array]:  # noqa: ARG001 - every data set is prepared from a folder, this one from an empty one
    """The fields from the library; label 1 is benign."""
    features, labels = load_breast_cancer(return_X_y=True)
    return _fields(np.ascontiguousarray(features, dtype=np.float64), np.asarray(labels, dtype=np.uint8))


def _fields(features: Array, labels: Array) -> dict[str, Array]:
    return {"features": features, "labels": labels, "unit_features": unit_rows(standardise(features))}


def stand_in(rng: Generator) -> dict[str, Array]:
    """Two well separated classes, their columns positive and of very different sizes."""
    labels = draw_labels(rng, 569, [0.37, 0.63])
    scales = np.geomspace(0.01, 1000.0, 30)
    blobs = draw_blobs(rng, labels, 30, classes=2, distance=3.0).astype(np.float64)
    return _fields(np.exp(0.3 * blobs) * scales, labels)
