"""The owner: the mean operator of m records, exact and noisy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isinf

import numpy as np

from replication.papers.mean_operator.tasks import PublicFeatures, label_signs, task_rows
from replication.randomness import Trial
from unveil.mechanisms.mean_operator import MeanOperatorRelease, mean_operator
from unveil.types import Arrays

PUBLIC = PublicFeatures()


def release(
    fields: Mapping[str, Arrays],
    trial: Trial,
    *,
    dataset: str,
    records_per_feature: Sequence[float],
    alphas: Sequence[float],
) -> Arrays:
    """μ by (size, α) for the first records of a random order, and its noise's scale; at α = ∞ it is exact."""
    everybody = task_rows(dataset, fields)
    features = PUBLIC.of(dataset, fields, everybody)
    order = trial.public.permutation(len(everybody))
    sizes = [round(ratio * features.shape[1]) for ratio in records_per_feature]
    statistics = np.empty((len(sizes), len(alphas), features.shape[1]))
    scales = np.zeros(statistics.shape[:2])
    for i, m in enumerate(sizes):
        X, y = features[order[:m]], label_signs(dataset, fields, everybody[order[:m]])
        widest = float(np.max(np.linalg.norm(X, ord=1, axis=1)))
        for j, alpha in enumerate(alphas):
            if isinf(alpha):
                statistics[i, j] = mean_operator(X, y)
                continue
            mechanism = MeanOperatorRelease(alpha, "laplace", l1_bound=widest)
            statistics[i, j] = mechanism.release(X, y, trial.rng)
            scales[i, j] = mechanism.scale(*X.shape)
    return {"statistics": statistics, "scales": scales, "sizes": np.array(sizes), "everybody": everybody}
