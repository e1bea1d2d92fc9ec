"""The skew study, the owner: as figure 3, once for every skew ρ of the training sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from unveil.experiments.class_ratio.arms import below
from unveil.experiments.class_ratio.sets import Sizes, by_frequency, draw_sets, mixtures, skewed_counts
from unveil.experiments.class_ratio.veils import release_proportions
from unveil.randomness import Trial
from unveil.types import Array, Arrays


def release(
    fields: Mapping[str, Arrays],
    trial: Trial,
    *,
    sets: Mapping[str, Any],
    rhos: Mapping[str, Any],
    steps: int,
    mechanisms: Sequence[str],
    epsilon: float,
    delta: float,
    draws: int,
) -> Arrays:
    """Sets and released proportions for each ρ, named `<data set>/<position of ρ>/<name>`."""
    released: dict[str, Array] = {}
    for dataset, private in fields.items():
        size = Sizes.of(sets, dataset)
        classes = by_frequency(private["labels"], size.classes)
        tests = mixtures(size.classes, steps, size.test)
        for k, rho in enumerate(rhos[dataset]):
            train, validation = (skewed_counts(size.classes, rho, n) for n in (size.train, size.validation))
            drawn = draw_sets(private["labels"], classes, train, validation, tests, trial.public).arrays()
            counts = np.concatenate([train, validation])
            veiled = release_proportions(counts, mechanisms, epsilon, delta, draws, trial.rng)
            released |= below({**drawn, **veiled}, dataset, k)
    return released
