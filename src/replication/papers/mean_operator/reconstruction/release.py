"""The owner: the mean operator of m records, exact and noisy."""

from __future__ import annotations

from math import isinf

import numpy as np

from replication.arrays import Fields, Named
from replication.papers.mean_operator.reconstruction.settings import Release
from replication.papers.mean_operator.tasks import features, signs
from replication.randomness import Trial
from unveil.mechanisms.mean_operator import MeanOperatorRelease, mean_operator


def release(fields: Fields, trial: Trial, settings: Release) -> Named:
    """μ by (size, α) for the first records of a random order, and its noise's scale; at α = ∞ it is exact."""
    everybody, labels = features(settings.dataset, fields), signs(settings.dataset, fields)
    order = trial.public.permutation(len(everybody))
    sizes = [round(ratio * everybody.shape[1]) for ratio in settings.records_per_feature]
    statistics = np.empty((len(sizes), len(settings.alphas), everybody.shape[1]))
    scales = np.zeros(statistics.shape[:2])
    for i, m in enumerate(sizes):
        X, y = everybody[order[:m]], labels[order[:m]]
        widest = float(np.max(np.linalg.norm(X, ord=1, axis=1)))
        for j, alpha in enumerate(settings.alphas):
            if isinf(alpha):
                statistics[i, j] = mean_operator(X, y)
                continue
            mechanism = MeanOperatorRelease(alpha, "laplace", l1_bound=widest)
            statistics[i, j] = mechanism.release(X, y, trial.rng)
            scales[i, j] = mechanism.scale(*X.shape)
    return {"statistics": statistics, "scales": scales, "sizes": np.array(sizes)}
