"""Figure 2, the owner: two training, two validation and nine test sets of two classes, with exact proportions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from replication.papers.class_ratio.arms import below
from replication.papers.class_ratio.sets import Sizes, draw_sets, positive_counts, shares_of, skewed_counts
from replication.randomness import Trial
from unveil.types import Array, Arrays


def release(
    fields: Mapping[str, Arrays],
    trial: Trial,
    *,
    sets: Mapping[str, Any],
    rho: float,
    fractions: Sequence[float],
) -> Arrays:
    """Who is in which set, and the true proportions: this figure has no privacy."""
    released: dict[str, Array] = {}
    for dataset, private in fields.items():
        size = Sizes.of(sets, dataset)
        train, validation = (skewed_counts(2, rho, n) for n in (size.train, size.validation))
        tests = positive_counts(fractions, size.test)
        drawn = draw_sets(
            private["labels"], np.array([0, 1]), train, validation, tests, trial.public
        ).arrays()
        shares = {"proportions": shares_of(train), "validation_proportions": shares_of(validation)}
        released |= below({**drawn, **shares}, dataset)
    return released
