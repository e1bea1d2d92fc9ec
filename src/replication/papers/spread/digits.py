"""The digits of the paper's experiments: sevens against nines, drawn anew in every trial."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from unveil.errors import require
from unveil.types import Array, Arrays

DIGITS = (7, 9)


@dataclass(frozen=True)
class Digits:
    """Row numbers into the prepared images, and labels: 0 for a seven, 1 for a nine."""

    train: Array
    train_labels: Array
    test: Array
    test_labels: Array


def choose(mnist: Arrays, train: int, test: int, rng: Generator) -> Digits:
    """`train` images a digit from MNIST's training part and `test` from its test part, in random order."""
    rows = []
    for part, number in enumerate((train, test)):
        chosen = []
        for digit in DIGITS:
            found = np.flatnonzero((mnist["labels"] == digit) & (mnist["split"] == part))
            require(len(found) >= number, f"there are only {len(found)} images of a {digit}, not {number}")
            chosen.append(rng.choice(found, number, replace=False))
        rows.append(rng.permutation(np.concatenate(chosen)))
    labels = [(mnist["labels"][part] == DIGITS[1]).astype(np.uint8) for part in rows]
    return Digits(rows[0], labels[0], rows[1], labels[1])


def accuracy(images: Array, labels: Array, weights: Array, intercepts: Array) -> Array:
    """The share of clean `images` put right by each row of `weights` (…, d), in pixels scaled to [0, 1]."""
    flat = weights.reshape(-1, weights.shape[-1])
    scores = images.astype(np.float64) @ (flat.T / 255) + intercepts.reshape(-1)
    right: Array = ((scores > 0) == (labels[:, None] == 1)).mean(axis=0).reshape(weights.shape[:-1])
    return right
