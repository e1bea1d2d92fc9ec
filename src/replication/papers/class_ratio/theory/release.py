"""The bounds against experiments, the owner: sets of growing size with exact and with veiled proportions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from replication.arrays import Fields, Key, Released
from replication.papers.class_ratio.mechanisms import exact_apart, release_proportions
from replication.papers.class_ratio.sets import (
    Design,
    below,
    by_frequency,
    draw_sets,
    labels_of,
    mixture_counts,
    skewed_counts,
)
from replication.papers.class_ratio.theory.settings import Release
from replication.randomness import Trial
from unveil.types import Array

MECHANISMS = ("none", "scaled_dirichlet_tight", "laplace")


def release(fields: Fields, trial: Trial, settings: Release) -> Released:
    """For each size members, and proportions of the training sets, true and veiled; named as in figure 3."""
    released: dict[Key, Array] = {}
    for dataset, own, labels in labels_of(fields, settings.sets):
        classes = by_frequency(labels, own.classes)
        for k, (n, design) in enumerate(designs(settings, dataset)):
            drawn = draw_sets(labels, classes, design, trial.public)
            veiled = release_proportions(design.train, MECHANISMS, settings, 1, partial(trial.rng_of, dataset, n))
            released |= below(drawn, dataset, k) | below(veiled, dataset, k, "proportions")
    return exact_apart(released)


def designs(settings: Release, dataset: str) -> Iterator[tuple[int, Design]]:
    """For each size its sets: training sets, validation sets like them, and one test set."""
    own = settings.sets[dataset]
    for n in own.sizes:
        train = skewed_counts(own.classes, settings.rho, n)
        yield n, Design(train, train, mixture_counts(own.classes, settings.test_share / own.classes, n)[None])
