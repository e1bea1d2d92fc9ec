"""The learner turned attacker: labels read back from the statistic and the public features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt

import numpy as np

from replication.papers.mean_operator.tasks import PublicFeatures
from replication.randomness import Trial
from unveil.estimators.statistics.label_reconstruction import reconstruct_labels
from unveil.types import Arrays

PUBLIC = PublicFeatures()


def learn(
    released: Mapping[str, Arrays],
    public: Mapping[str, Arrays],
    trial: Trial,
    *,
    dataset: str,
    alphas: Sequence[float],
) -> Arrays:
    """The guessed labels by (size, α, record), zero beyond m."""
    (parts,) = released.values()
    features = PUBLIC.of(dataset, public, parts["everybody"])
    order = trial.public.permutation(len(features))
    sizes = parts["sizes"]
    guesses = np.zeros((len(sizes), len(alphas), max(sizes)), dtype=np.int8)
    for i, m in enumerate(sizes):
        for j in range(len(alphas)):
            # The scale of the noise is a public parameter of the veil; a Laplace variable deviates by √2 of it.
            deviation = sqrt(2) * float(parts["scales"][i, j])
            guesses[i, j, :m] = reconstruct_labels(features[order[:m]], parts["statistics"][i, j], deviation)
    about = {"sizes": sizes, "alphas": np.asarray(alphas), "d": np.asarray(features.shape[1])}
    return {"guesses": guesses, **about, "dataset": np.asarray(dataset), "everybody": parts["everybody"]}
