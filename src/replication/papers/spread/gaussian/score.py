"""Section 6.1, the referee: accuracy on the clean training images and on held-out ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from replication.papers.spread.digits import Digits, accuracy, choose
from replication.randomness import Trial
from unveil.types import Array, Arrays

COLUMNS = [
    "sigma2", "method", "samples", "iterations", "trial", "train_accuracy", "test_accuracy", "theta_norm",
]  # fmt: skip


def score(
    learned: Mapping[str, Sequence[Arrays]],
    fields: Mapping[str, Arrays],
    trials: Sequence[Trial],
    *,
    variances: Sequence[float],
    samples: Sequence[int],
    labels: Sequence[str],
    train: int,
    test: int,
    iterations: Sequence[int],
) -> pd.DataFrame:
    """One row a method, checkpoint and trial; clean training has σ² = 0 and no samples."""
    rows: list[tuple[Any, ...]] = []
    for trial in trials:
        digits = choose(fields["mnist"], train, test, trial.public)
        found = {name: array for arm in learned.values() for name, array in arm[trial.number].items()}
        cases: list[tuple[float, str, Any, str]] = [(0.0, "clean", pd.NA, "clean")]
        for i, variance in enumerate(variances):
            cases.append((variance, "noisy", pd.NA, f"noisy_{i}"))
            cases += [
                (variance, f"spread_{kind}", count, f"spread_{kind}_{count}_{i}")
                for kind in labels
                for count in samples
            ]
        results = _judge(fields["mnist"]["images"], digits, np.stack([found[name] for *_, name in cases]))
        rows += [
            (variance, method, count, steps, trial.number, *map(float, results[i, j]))
            for i, (variance, method, count, _) in enumerate(cases)
            for j, steps in enumerate(iterations)
        ]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"samples": "Int64"})


def _judge(images: Array, digits: Digits, weights: Array) -> Array:
    """Train and test accuracy and the length of θ, (cases, checkpoints, 3)."""
    none = np.zeros(weights.shape[:-1])
    return np.stack(
        [
            accuracy(images[digits.train], digits.train_labels, weights, none),
            accuracy(images[digits.test], digits.test_labels, weights, none),
            np.linalg.norm(weights, axis=-1),
        ],
        axis=-1,
    )
