"""What veils the class proportions of whole sets: each mechanism of the paper, and ours, in one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.random import Generator

from replication.arrays import Named, Released
from replication.papers.class_ratio.sets import shares_of
from replication.papers.class_ratio.settings import Demand
from unveil.errors import NoValidScale
from unveil.mechanisms.counts import GaussianCounts, LaplaceCounts, SubsampleCounts
from unveil.mechanisms.dirichlet_draws import DirichletOrLaplacePrior, LaplacePrior, ScaledDirichlet
from unveil.mechanisms.published_counts import PublishedCounts
from unveil.types import Array

#: By ε, δ and a public lower bound on all counts, of which each takes its own (section 3; figure 1).
MECHANISMS: Mapping[str, Callable[[float, float, int | None], PublishedCounts]] = {
    "laplace": lambda epsilon, *_: LaplaceCounts(epsilon),
    "gaussian": lambda epsilon, delta, _: GaussianCounts(epsilon, delta),
    "gaussian_analytic": lambda epsilon, delta, _: GaussianCounts(epsilon, delta, "analytic"),
    "laplace_prior": lambda epsilon, delta, _: LaplacePrior(epsilon, delta),
    # By the paper's rule for σ, (9); with the largest σ that is private if neighbours keep it; with the largest that is
    # private, the same at all counts above the public bound.
    "scaled_dirichlet": lambda epsilon, delta, _: ScaledDirichlet(epsilon, delta, "paper"),
    "scaled_dirichlet_tight": lambda epsilon, delta, _: ScaledDirichlet(epsilon, delta, "tight"),
    "scaled_dirichlet_public": lambda epsilon, delta, least: ScaledDirichlet(epsilon, delta, "tight", least),
    # The scaled Dirichlet, and the Laplace prior where it has no σ.
    "fallback": lambda epsilon, delta, _: DirichletOrLaplacePrior(epsilon, delta, "paper"),
    "subsample": lambda _, delta, __: SubsampleCounts(delta),
}
#: What stands in for a mechanism on sets that only choose the kernel.
LATER = {"scaled_dirichlet": "fallback"}


def public_minimum(counts: Array, share: float) -> int:
    """ASSUME: what is public about the smallest class is a bound somewhat below it."""
    return max(int(share * counts.min()), 1)


def release_proportions(
    counts: Array,
    mechanisms: Sequence[str],
    demand: Demand,
    draws: int,
    rng_of: Callable[[str], Generator],
    public_share: float = 0.8,
    training: int | None = None,
) -> dict[str, Array]:
    """`draws` independent releases of all sets by every mechanism, as (draws, sets, classes); `none`: as they are.

    Where a mechanism has no valid scale for one of the first `training` sets (of all, by default) it publishes nothing,
    and its name is missing; of the sets after them those that have no σ fall back, as section 3 advises. Sets of one
    size have one public bound on their counts. `rng_of` gives each mechanism its randomness.
    """
    sizes, count = counts.sum(axis=1), len(counts) if training is None else training
    released: dict[str, Array] = {}
    for name in mechanisms:
        if name == "none":
            released[name] = shares_of(counts)[None]
            continue
        try:
            rows = np.empty((draws, *counts.shape))
            for which, known in ((np.arange(count), name), (np.arange(count, len(counts)), LATER.get(name, name))):
                for size in dict.fromkeys(sizes[which]):
                    own = which[sizes[which] == size]
                    bound = public_minimum(counts[own], public_share)
                    mechanism = MECHANISMS[known](demand.epsilon, demand.delta, bound)
                    drawn = mechanism.release(np.tile(counts[own], (draws, 1)), rng_of(name))
                    rows[:, own] = drawn.reshape(draws, -1, counts.shape[1])
        except NoValidScale:
            continue
        released[name] = rows
    return released


def exact_apart(released: Named) -> Released:
    """The proportions as they are, named `none`, apart from the veiled ones."""
    return Released.divided(released, lambda name: name[-1] == "none")
