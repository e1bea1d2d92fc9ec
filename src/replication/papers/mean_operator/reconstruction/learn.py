"""The learner turned attacker: labels read back from the statistic and the public features."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt

import numpy as np

from replication.arrays import Fields, Named
from replication.common.tasks import features
from replication.papers.mean_operator.reconstruction.settings import Learn
from replication.randomness import Trial
from unveil.estimators.statistics.label_reconstruction import reconstruct_labels


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """The guessed labels by (size, α, record), zero beyond m."""
    (parts,) = released.values()
    X, sizes = features(settings.dataset, public), parts["sizes"]
    order = trial.public.permutation(len(X))
    guesses = np.zeros((*parts["scales"].shape, max(sizes)), dtype=np.int8)
    for i, j in np.ndindex(parts["scales"].shape):
        # The scale of the noise is a public parameter of the veil; a Laplace variable deviates by √2 of it.
        deviation = sqrt(2) * float(parts["scales"][i, j])
        rows = order[: sizes[i]]
        statistic = parts["statistics"][i, j] if deviation else parts["exact"][i]
        guesses[i, j, : len(rows)] = reconstruct_labels(X[rows], statistic, deviation)
    about = {"dataset": settings.dataset, "alphas": settings.alphas, "d": X.shape[1]}
    return {"guesses": guesses, "sizes": sizes, **{name: np.asarray(value) for name, value in about.items()}}
