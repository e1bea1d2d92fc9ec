"""Figure 3, the owner: sets of labelled instances go out without labels, with proportions veiled in several ways."""

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
    rho: float,
    steps: int,
    mechanisms: Sequence[str],
    epsilon: float,
    delta: float,
    draws: int,
) -> Arrays:
    """Who is in which set, and released proportions of training and validation sets: `<data set>/<name>`."""
    released: dict[str, Array] = {}
    for dataset, private in fields.items():
        size = Sizes.of(sets, dataset)
        labels, classes = private["labels"], by_frequency(private["labels"], size.classes)
        train, validation = (skewed_counts(size.classes, rho, n) for n in (size.train, size.validation))
        tests = mixtures(size.classes, steps, size.test)
        drawn = draw_sets(labels, classes, train, validation, tests, trial.public).arrays()
        counts = np.concatenate([train, validation])
        veiled = release_proportions(counts, mechanisms, epsilon, delta, draws, trial.rng)
        released |= below({**drawn, **veiled}, dataset)
    return released
