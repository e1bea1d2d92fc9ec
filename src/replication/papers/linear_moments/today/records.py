"""Records in [−1, 1], z = (1, x, y), and the vector of their products that every mechanism releases."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from replication.arrays import Fields
from replication.randomness import Trial
from unveil.types import Array, Floats

#: The share of records that a trial holds out, where there is no official split.
HELD_OUT = 0.2
#: The model of the synthetic set, which everybody knows: weights, and half the width of uniform noise.
WEIGHTS, NOISE = np.array([0.25, -0.25, 0.125, -0.125, 0.0625]), 0.18
#: Test records drawn from it.
TESTED = 20_000


def draw_linear(n: int, rng: Generator) -> Floats:
    """Records of the synthetic set: uniform features, a linear target with uniform noise, all within [−1, 1]."""
    x = rng.uniform(-1, 1, (n, len(WEIGHTS)))
    y = x @ WEIGHTS + rng.uniform(-NOISE, NOISE, n)
    return np.column_stack([np.ones(n), x, y])


def split_records(fields: Fields, dataset: str, trial: Trial) -> tuple[Floats, Floats]:
    """Training records in random order, and those held out; the ranges of all columns are public."""
    own = fields[dataset]
    rows = np.column_stack([own["scaled_features"], own["scaled_target"]]).astype(float) * 2 - 1
    rows = np.column_stack([np.ones(len(rows)), rows])
    order = trial.shared("public", dataset).permutation(len(rows))
    held_out = own["split"] == 1 if "split" in own else np.arange(len(rows)) < round(HELD_OUT * len(rows))
    train, test = (order[kind] for kind in (~held_out[order], held_out[order])) if "split" in own else (
        order[~held_out], order[held_out]
    )  # fmt: skip
    return rows[train], rows[test]


def multiply(records: Array) -> Array:
    """z_i·z_j, i ≤ j, without the 1 of 1·1."""
    i, j = pairs(records.shape[1])
    return records[:, i] * records[:, j]


def pairs(width: int) -> tuple[Array, Array]:
    """Which columns are multiplied."""
    i, j = np.triu_indices(width)
    return i[1:], j[1:]
