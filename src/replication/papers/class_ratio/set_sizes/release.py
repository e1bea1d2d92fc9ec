"""Many small against few large sets, the owner: the same number of instances, cut into more or fewer sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from replication.papers.class_ratio.arms import below
from replication.papers.class_ratio.sets import Sizes, skewed_counts
from replication.papers.class_ratio.veils import Veils
from replication.randomness import Trial
from unveil.errors import require
from unveil.types import Array, Arrays


def release(
    fields: Mapping[str, Arrays],
    trial: Trial,
    *,
    sets: Mapping[str, Any],
    copies: Sequence[int],
    rho: float,
    steps: int,
    mechanisms: Sequence[str],
    epsilon: float,
    delta: float,
    draws: int,
) -> Arrays:
    """For each number of copies of the c skewed sets, sets and released proportions, `<data set>/<copies>/<name>`."""
    veils = Veils(mechanisms, epsilon, delta, draws)
    released: dict[str, Array] = {}
    for dataset, private in fields.items():
        size = Sizes.of(sets, dataset)
        validation = skewed_counts(size.classes, rho, size.validation)
        for copy in copies:
            require(
                size.train % copy == 0,
                f"copies: {copy} does not divide {size.train}, the set size of {dataset}",
            )
            train = np.tile(skewed_counts(size.classes, rho, size.train // copy), (copy, 1))
            found = veils.release_sets(private["labels"], size, train, validation, steps, trial)
            released |= below(found, dataset, copy)
    return released
