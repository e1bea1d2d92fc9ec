"""Section 6.1, the learner: spread likelihood with a Gaussian prior, and plain regression beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from replication.papers.spread.digits import choose
from replication.randomness import Trial
from unveil.estimators.spread.logistic import SpreadLogisticRegression
from unveil.types import Array, Arrays


def learn(
    released: Mapping[str, Arrays],
    public: Mapping[str, Arrays],
    trial: Trial,
    *,
    variances: Sequence[float],
    label_flip: float,
    prior: Sequence[float],
    samples: Sequence[int],
    labels: Sequence[str],
    train: int,
    test: int,
    rate: float,
    iterations: Sequence[int],
) -> Arrays:
    """Weights (checkpoints, d) of every method; the arm that peeks trains on clean data instead."""
    common: dict[str, Any] = {
        # Exact for Gaussian noise: the gradient depends on the inputs through z = θᵀx alone.
        "level": "z",
        "noise": "gaussian",
        "rate": rate,
        "iterations": max(iterations),
        "checkpoints": iterations,
        "random_state": trial.rng,
    }
    plain = SpreadLogisticRegression(samples=1, labels="summed", **common)
    if "mnist" in public:
        digits = choose(public["mnist"], train, test, trial.public)
        images = public["mnist"]["images"][digits.train].astype(np.float32) / 255
        return {"clean": plain.fit(images, digits.train_labels).coef_path_}
    learned: dict[str, Array] = {}
    for i, variance in enumerate(variances):
        noisy = released["noisy"][f"images_{i}"].astype(np.float32)
        flipped = released["noisy"][f"labels_{i}"]
        learned[f"noisy_{i}"] = plain.fit(noisy, flipped).coef_path_
        for kind in labels:
            for count in samples:
                model = SpreadLogisticRegression(
                    label_flip, variance, (prior[0], prior[1]), count, labels=kind, **common
                )
                learned[f"spread_{kind}_{count}_{i}"] = model.fit(noisy, flipped).coef_path_
    return learned
