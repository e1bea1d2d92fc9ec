"""Three tasks of two classes: features on the unit sphere, which everybody knows, and private labels ±1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from replication.arrays import Fields, Key, Named
from replication.randomness import Trial
from unveil.types import Array, Floats


class _Names(NamedTuple):
    """The prepared fields of a task; without an official split each trial draws its own."""

    features: str = "unit_features"
    labels: str = "labels"
    split: str | None = None


TASKS: Mapping[str, _Names] = {
    "census": _Names(split="split"),
    "mnist": _Names("sevens_nines_features", "sevens_nines_labels", "sevens_nines_split"),
    "breast_cancer": _Names(),
}
_OWN = _Names()
#: The share of records that a trial holds out where there is no official split.
HELD_OUT = 0.3


def features(dataset: str, fields: Fields) -> Floats:
    """The public features, one row of norm 1 a record."""
    rows: Floats = fields[dataset][TASKS.get(dataset, _OWN).features]
    return rows


def signs(dataset: str, fields: Fields) -> Array:
    """The private labels as ±1."""
    return np.where(fields[dataset][TASKS.get(dataset, _OWN).labels] > 0, 1, -1).astype(np.int8)


def is_test(dataset: str, fields: Fields, n: int, trial: Trial) -> Array:
    """Which of the n records are held out."""
    split = TASKS.get(dataset, _OWN).split
    if split is not None:
        official: Array = fields[dataset][split] == 1
        return official
    held_out = np.zeros(n, dtype=bool)
    held_out[trial.public.permutation(n)[: round(HELD_OUT * n)]] = True
    return held_out


def training(dataset: str, fields: Fields, trial: Trial, *, shuffled: bool = False) -> tuple[Floats, Array]:
    """The features of the records to learn from, on the trial's order if shuffled, and which records they are."""
    X = features(dataset, fields)
    rows = np.flatnonzero(~is_test(dataset, fields, len(X), trial))
    if shuffled:
        rows = rows[trial.public.permutation(len(rows))]
    return X[rows], rows


def stack(parts: Sequence[Named]) -> dict[Key, Array]:
    """The arrays of each name, one above the other."""
    return {name: np.stack([part[name] for part in parts]) for name in parts[0]}
