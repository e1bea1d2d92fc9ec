"""The owner: the mean operator of m records, exact and noisy."""

from __future__ import annotations

from math import isinf

import numpy as np

from replication.arrays import Fields, Key, Released
from replication.common.tasks import features, signs
from replication.papers.mean_operator.reconstruction.settings import Release
from replication.randomness import Trial
from unveil.mechanisms.mean_operator import MeanOperatorRelease, mean_operator
from unveil.types import Array


def release(fields: Fields, trial: Trial, settings: Release) -> Released:
    """μ by (size, α) for the first records of a random order, and its noise's scale; apart, where α = ∞, without."""
    everybody, labels = features(settings.dataset, fields), signs(settings.dataset, fields)
    order = trial.public.permutation(len(everybody))
    sizes = [round(ratio * everybody.shape[1]) for ratio in settings.records_per_feature]
    statistics = np.zeros((len(sizes), len(settings.alphas), everybody.shape[1]))
    exact, scales = np.zeros((len(sizes), everybody.shape[1])), np.zeros(statistics.shape[:2])
    for i, m in enumerate(sizes):
        X, y = everybody[order[:m]], labels[order[:m]]
        widest = float(np.max(np.linalg.norm(X, ord=1, axis=1)))
        for j, alpha in enumerate(settings.alphas):
            if isinf(alpha):
                exact[i] = mean_operator(X, y)
                continue
            mechanism = MeanOperatorRelease(alpha, "laplace", l1_bound=widest)
            statistics[i, j] = mechanism.release(X, y, trial.rng_of(settings.records_per_feature[i], alpha))
            scales[i, j] = mechanism.scale(*X.shape)
    beside: dict[Key, Array] = {"exact": exact} if np.isinf(settings.alphas).any() else {}
    return Released({"statistics": statistics, "scales": scales, "sizes": np.array(sizes)}, beside)
