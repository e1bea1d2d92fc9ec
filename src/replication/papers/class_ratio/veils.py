"""The owner's side of figure 3 and its companions: sets without labels, with proportions veiled in several ways."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.random import Generator

from replication.arrays import Fields, Key, Named, Released
from replication.papers.class_ratio.sets import below, by_frequency, designs, draw_sets, labels_of, shares_of
from replication.papers.class_ratio.settings import Demand, Mechanism, Veil, Veiled
from replication.randomness import Trial
from unveil.errors import NoValidScale
from unveil.mechanisms.counts import GaussianCounts, LaplaceCounts, SubsampleCounts
from unveil.mechanisms.dirichlet_draws import DirichletOrLaplacePrior, LaplacePrior, ScaledDirichlet
from unveil.mechanisms.published_counts import PublishedCounts
from unveil.types import Array

#: The mechanism behind a name, by ε, δ and a public lower bound on all counts, of which each takes its own.
MECHANISMS: Mapping[Mechanism, Callable[[float, float, int | None], PublishedCounts]] = {
    "laplace": lambda epsilon, *_: LaplaceCounts(epsilon),
    "gaussian": lambda epsilon, delta, _: GaussianCounts(epsilon, delta),
    "gaussian_analytic": lambda epsilon, delta, _: GaussianCounts(epsilon, delta, "analytic"),
    "laplace_prior": lambda epsilon, delta, _: LaplacePrior(epsilon, delta),
    "scaled_dirichlet": lambda epsilon, delta, _: ScaledDirichlet(epsilon, delta, "paper"),
    "scaled_dirichlet_tight": lambda epsilon, delta, _: ScaledDirichlet(epsilon, delta, "tight"),
    "scaled_dirichlet_public": lambda epsilon, delta, least: ScaledDirichlet(epsilon, delta, "tight", least),
    "fallback": lambda epsilon, delta, _: DirichletOrLaplacePrior(epsilon, delta, "paper"),
    "subsample": lambda _, delta, __: SubsampleCounts(delta),
}


def release_proportions(
    counts: Array, mechanisms: Sequence[Veil], demand: Demand, draws: int, rng: Generator, public_share: float = 0.8
) -> dict[str, Array]:
    """`draws` independent releases of all sets by every mechanism, as (draws, sets, classes).

    Where a mechanism has no valid scale for some set it publishes nothing, and its name is missing. Sets of one size
    have one public bound on their counts, that share of the smallest (ASSUME: as in figure 1).
    """
    sizes, least = counts.sum(axis=1), counts.min(axis=1)
    bounds = {size: max(int(public_share * least[sizes == size].min()), 1) for size in sizes}
    released: dict[str, Array] = {}
    for name in mechanisms:
        if name == "none":
            released[name] = shares_of(counts)[None]
            continue
        try:
            rows = np.empty((draws, *counts.shape))
            for size, bound in bounds.items():
                own = sizes == size
                mechanism = MECHANISMS[name](demand.epsilon, demand.delta, bound)
                drawn = mechanism.release(np.tile(counts[own], (draws, 1)), rng)
                rows[:, own] = drawn.reshape(draws, -1, counts.shape[1])
        except NoValidScale:
            continue
        released[name] = rows
    return released


def release(fields: Fields, trial: Trial, settings: Veiled) -> Released:
    """Who is in which set, `(data set, design, …)`, and proportions, `(data set, design, "proportions", mechanism)`."""
    released: dict[Key, Array] = {}
    for dataset, size, labels in labels_of(fields, settings.sets):
        for k, (_, design) in enumerate(designs(settings, dataset)):
            drawn = draw_sets(labels, by_frequency(labels, size.classes), design, trial.public)
            veiled = release_proportions(
                design.veiled, settings.mechanisms, settings, settings.draws, trial.rng, settings.public_minimum_share
            )
            released |= below(drawn, dataset, k) | below(veiled, dataset, k, "proportions")
    return exact_apart(released)


def exact_apart(released: Named) -> Released:
    """The proportions as they are, named `none`, apart from the veiled ones."""
    return Released.divided(released, lambda name: name[-1] == "none")
