"""The bounds against experiments, the owner: sets of growing size with exact and with veiled proportions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from replication.papers.class_ratio.arms import below
from replication.papers.class_ratio.sets import (
    by_frequency,
    draw_sets,
    mixture_counts,
    skewed_counts,
)
from replication.papers.class_ratio.veils import NONE, release_proportions
from replication.randomness import Trial
from unveil.types import Array, Arrays

DIRICHLET = "scaled_dirichlet_tight"


def release(
    fields: Mapping[str, Arrays],
    trial: Trial,
    *,
    sizes: Mapping[str, Any],
    classes: Mapping[str, Any],
    rho: float,
    test_share: float,
    epsilon: float,
    delta: float,
) -> Arrays:
    """For each set size, members, true proportions, and tightly veiled ones: `<data set>/<n>/<name>`."""
    released: dict[str, Array] = {}
    for dataset, private in fields.items():
        count = classes[dataset]
        names = by_frequency(private["labels"], count)
        for n in sizes[dataset]:
            train = skewed_counts(count, rho, n)
            tests = mixture_counts(count, test_share / count, n)[None]
            drawn = draw_sets(private["labels"], names, train, train, tests, trial.public).arrays()
            veiled = release_proportions(train, (NONE, DIRICHLET), epsilon, delta, 1, trial.rng)
            released |= below({**drawn, **veiled}, dataset, n)
    return released
