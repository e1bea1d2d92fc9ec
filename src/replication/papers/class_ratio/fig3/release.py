"""Figure 3, the owner: sets of labelled instances go out without labels, with proportions veiled in several ways."""

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
    rho: float,
    steps: int,
    mechanisms: Sequence[str],
    epsilon: float,
    delta: float,
    draws: int,
) -> Arrays:
    """Who is in which set, and released proportions of training and validation sets: `<data set>/<name>`."""
    veils = Veils(mechanisms, epsilon, delta, draws)
    released: dict[str, Array] = {}
    for dataset, private in fields.items():
        size = Sizes.of(sets, dataset)
        train, validation = (skewed_counts(size.classes, rho, n) for n in (size.train, size.validation))
        released |= below(
            veils.release_sets(private["labels"], size, train, validation, steps, trial), dataset
        )
    return released
