"""The public side of the three tasks: which records, and which features, everybody agrees on.

No label is needed here but for one choice: which images show a 7 or a 9 is told to all, which of the two is private.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from replication.randomness import Trial
from unveil.errors import require
from unveil.types import Array, Arrays, Floats

DATASETS = ("census", "mnist", "breast_cancer")

#: The private label of each digit of the task.
DIGITS = {7: -1, 9: 1}
COMPONENTS = 50
#: The share of the breast cancer records that is held out, anew in each trial.
HELD_OUT = 0.3


def label_signs(dataset: str, fields: Mapping[str, Arrays], rows: Array) -> Array:
    """The private labels of these records, as ±1."""
    labels = np.asarray(fields[dataset]["labels"])[rows]
    if dataset == "mnist":
        return np.where(labels == 9, DIGITS[9], DIGITS[7]).astype(np.int8)
    return np.where(labels > 0, 1, -1).astype(np.int8)


def task_rows(dataset: str, fields: Mapping[str, Arrays]) -> Array:
    """The records of the task; for MNIST the owner and the referee tell them by the labels."""
    if dataset == "mnist":
        rows: Array = np.flatnonzero(np.isin(np.asarray(fields[dataset]["labels"]), list(DIGITS)))
        return rows
    return np.arange(len(fields[dataset]["features"]))


def is_test(dataset: str, fields: Mapping[str, Arrays], rows: Array, trial: Trial) -> Array:
    """Which of these records are held out: the official split, or one that the trial draws."""
    if "split" in fields[dataset]:
        official: Array = np.asarray(fields[dataset]["split"])[rows] == 1
        return official
    held_out = np.zeros(len(rows), dtype=bool)
    held_out[trial.public.permutation(len(rows))[: round(HELD_OUT * len(rows))]] = True
    return held_out


class PublicFeatures:
    """The features of the task's records, computed once for all trials of a job.

    ASSUME: a constant is appended, since the paper's separators have no intercept, and every record is divided by its
    own norm. That does not change the side of any separator it lies on, and makes ‖x‖₂ = 1, as theorem 9 wants.
    """

    def __init__(self) -> None:
        self._key: tuple[Array, Array] | None = None
        self._value: Floats = np.zeros((0, 0))

    def of(self, dataset: str, fields: Mapping[str, Arrays], rows: Array) -> Floats:
        """One row a record, of norm 1."""
        require(dataset in DATASETS, f"dataset must be one of {', '.join(DATASETS)}, got {dataset!r}")
        source = fields[dataset]["images" if dataset == "mnist" else "features"]
        known = self._key is not None and self._key[0] is source and np.array_equal(self._key[1], rows)
        if not known:
            plain = _COORDINATES[dataset](np.asarray(source[rows]))
            extended = np.column_stack([plain, np.ones(len(plain))])
            self._value = extended / np.linalg.norm(extended, axis=1, keepdims=True)
            self._key = (source, rows)
        return self._value


def _standardised(features: Array) -> Floats:
    """Zero mean and unit variance over all records of the task, test records too: features are public."""
    spread: Floats = features.std(axis=0)
    centred: Floats = (features - features.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return centred


def _as_they_are(features: Array) -> Floats:
    return features.astype(float)


def _principal_components(images: Array) -> Floats:
    """Coordinates along the principal directions of the pixels, in units of the first one's standard deviation."""
    pixels = images.astype(np.float32) / 255
    pixels -= pixels.mean(axis=0)
    values, vectors = np.linalg.eigh((pixels.T @ pixels).astype(float) / len(pixels))
    directions = vectors[:, ::-1][:, :COMPONENTS]
    # An eigenvector's sign is arbitrary; owner and learner must choose the same.
    largest = np.argmax(np.abs(directions), axis=0)
    directions = directions * np.sign(directions[largest, np.arange(directions.shape[1])])
    coordinates: Floats = pixels.astype(float) @ directions / np.sqrt(values[-1])
    return coordinates


_COORDINATES = {"census": _as_they_are, "mnist": _principal_components, "breast_cancer": _standardised}
