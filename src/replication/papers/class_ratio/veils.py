"""The owner's side of figure 3 and its companions: proportions of sets, veiled by several mechanisms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from replication.papers.class_ratio.sets import Sizes, by_frequency, draw_sets, mixtures, shares_of
from replication.randomness import Trial
from unveil.errors import NoValidScale, require
from unveil.mechanisms.counts import (
    CountMechanism,
    DirichletOrLaplacePrior,
    GaussianCounts,
    LaplaceCounts,
    LaplacePrior,
    ScaledDirichlet,
)
from unveil.types import Array

NONE = "none"


def mechanism_of(name: str, epsilon: float, delta: float) -> CountMechanism:
    """The mechanism behind a name of figure 3."""
    known: dict[str, CountMechanism] = {
        "laplace": LaplaceCounts(epsilon),
        "gaussian_analytic": GaussianCounts(epsilon, delta, "analytic"),
        "laplace_prior": LaplacePrior(epsilon, delta),
        "scaled_dirichlet": ScaledDirichlet(epsilon, delta, "paper"),
        "scaled_dirichlet_tight": ScaledDirichlet(epsilon, delta, "tight"),
        "fallback": DirichletOrLaplacePrior(epsilon, delta, "paper"),
    }
    require(name in known, f"mechanisms: unknown '{name}'; known: {NONE}, {', '.join(known)}")
    return known[name]


def release_proportions(
    counts: Array, mechanisms: Sequence[str], epsilon: float, delta: float, draws: int, rng: Generator
) -> dict[str, Array]:
    """`draws` independent releases of all sets by every mechanism, as (draws, sets, classes).

    Where a mechanism has no valid scale for some set it publishes nothing, and its name is missing.
    """
    released = {}
    for name in mechanisms:
        if name == NONE:
            released[name] = shares_of(counts)[None]
            continue
        try:
            rows = mechanism_of(name, epsilon, delta).release(np.tile(counts, (draws, 1)), rng)
        except NoValidScale:
            continue
        released[name] = rows.reshape(draws, *counts.shape)
    return released


@dataclass(frozen=True)
class Veils:
    """Which mechanisms veil the proportions, at which level, how many times."""

    mechanisms: Sequence[str]
    epsilon: float
    delta: float
    draws: int

    def release_sets(
        self, labels: Array, size: Sizes, train: Array, validation: Array, steps: int, trial: Trial
    ) -> dict[str, Array]:
        """Sets of these (sets, classes) counts and `steps` test mixtures, without labels; and veiled proportions."""
        tests = mixtures(size.classes, steps, size.test)
        drawn = draw_sets(labels, by_frequency(labels, size.classes), train, validation, tests, trial.public)
        counts = np.concatenate([train, validation])
        veiled = release_proportions(counts, self.mechanisms, self.epsilon, self.delta, self.draws, trial.rng)
        return {**drawn.arrays(), **veiled}
