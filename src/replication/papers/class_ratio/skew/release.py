"""The skew study, the owner: as figure 3, once for every skew ρ of the training sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from replication.papers.class_ratio.arms import below
from replication.papers.class_ratio.sets import Sizes, skewed_counts
from replication.papers.class_ratio.veils import Veils
from replication.randomness import Trial
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
    veils = Veils(mechanisms, epsilon, delta, draws)
    released: dict[str, Array] = {}
    for dataset, private in fields.items():
        size = Sizes.of(sets, dataset)
        for k, rho in enumerate(rhos[dataset]):
            train, validation = (skewed_counts(size.classes, rho, n) for n in (size.train, size.validation))
            found = veils.release_sets(private["labels"], size, train, validation, steps, trial)
            released |= below(found, dataset, k)
    return released
