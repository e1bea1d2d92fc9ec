"""The owner veils the same labels twice at each exact level: as counts of sets, and one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import expm1

import numpy as np

from replication.arrays import Fields, Key
from replication.papers.class_ratio.mechanisms import MECHANISMS, public_minimum
from replication.papers.class_ratio.sets import Design, below, by_frequency, draw_sets, labels_of, skewed_counts
from replication.papers.class_ratio.today.settings import Release, Skewed
from replication.randomness import Trial
from unveil.errors import NoValidScale
from unveil.mechanisms.counts import GaussianCounts
from unveil.mechanisms.exact_sums import GeometricCounts
from unveil.mechanisms.published_counts import PublishedCounts
from unveil.mechanisms.response import RandomizedResponse
from unveil.types import Array

#: By ε, δ and a public lower bound on the counts: all keep their level exactly, whatever the counts are.
NOISES: Mapping[str, Callable[[float, float, int | None], PublishedCounts]] = {
    "geometric": lambda epsilon, *_: GeometricCounts(epsilon, testing=True),
    "gaussian_analytic": MECHANISMS["gaussian_analytic"],
    "gaussian_discrete": lambda epsilon, delta, _: GaussianCounts(epsilon, delta, exact=True, testing=True),
    "scaled_dirichlet_public": MECHANISMS["scaled_dirichlet_public"],
}


def response(classes: int, epsilon: float) -> RandomizedResponse:
    """Randomised response of the exact level ε, of which every false class is equally likely."""
    gain = expm1(epsilon)
    return RandomizedResponse(classes, gain / (gain + classes))


def draw_ratios(trial: Trial, size: Skewed, tests: int) -> Array:
    """Counts of the test sets, (tests, classes): the ratios are uniform on the simplex."""
    shares = trial.shared("public", "tests").dirichlet(np.ones(size.classes), tests)
    ends = np.rint(shares.cumsum(axis=1) * size.test).astype(int)
    return np.asarray(np.diff(ends, axis=1, prepend=0))


def release(fields: Fields, trial: Trial, settings: Release) -> dict[Key, Array]:
    """Members of all sets; their proportions, `(…, noise, level)`, and every member's label, `("reports", level)`.

    Each label is in one set, so that its level is that of its set's counts: to who knows who is in which set anyway.
    """
    released: dict[Key, Array] = {}
    for dataset, size, labels in labels_of(fields, settings.sets):
        classes = by_frequency(labels, size.classes)
        train, validation = kept = [skewed_counts(size.classes, size.rho, n) for n in (size.train, size.validation)]
        drawn = draw_sets(
            labels, classes, Design(train, validation, draw_ratios(trial, size, settings.tests)), trial.public
        )
        released |= below(drawn, dataset)
        members = np.concatenate([drawn["train"].ravel(), drawn["validation"].ravel()])
        private = np.argsort(classes)[np.searchsorted(np.sort(classes), labels[members])]
        for level, epsilon in enumerate(settings.epsilons):
            for name in settings.noises:
                rng, share = trial.rng_of(dataset, name, epsilon), settings.public_minimum_share
                veils = [NOISES[name](epsilon, settings.delta, public_minimum(own, share)) for own in kept]
                try:
                    rows = [veil.release(own, rng) for veil, own in zip(veils, kept, strict=True)]
                except NoValidScale:
                    continue
                released[dataset, name, level] = np.concatenate(rows)
            veil = response(size.classes, epsilon)
            released[dataset, "reports", level] = veil.release(private, trial.rng_of(dataset, "reports", epsilon))
    return released
