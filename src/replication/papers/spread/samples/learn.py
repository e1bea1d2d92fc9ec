"""The bias of few importance samples, the learner: the flat-prior estimator with ever more of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from replication.randomness import Trial
from unveil.estimators.spread.logistic import SpreadLogisticRegression
from unveil.types import Arrays


def learn(
    released: Mapping[str, Arrays],
    public: Mapping[str, Arrays],
    trial: Trial,
    *,
    p_flips: Sequence[float],
    levels: Mapping[str, Any],
    labels: Sequence[str],
    rate: float,
    steps: int,
) -> Arrays:
    """Weights (noise levels, kinds of labels, numbers of samples, d) for each level of sampling."""
    noisy = released["noisy"]
    learned = {}
    for level, samples in levels.items():
        weights = [
            SpreadLogisticRegression(
                p_flip, p_flip, "flat", count, labels=kind, level=level, rate=rate, iterations=steps,
                random_state=trial.rng,
            ).fit(noisy[f"images_{i}"], noisy[f"labels_{i}"]).coef_[0]
            for (i, p_flip), kind, count in product(enumerate(p_flips), labels, samples)
        ]  # fmt: skip
        learned[level] = np.reshape(weights, (len(p_flips), len(labels), len(samples), -1))
    return learned
