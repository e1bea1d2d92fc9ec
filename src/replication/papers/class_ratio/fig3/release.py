"""Figure 3, the owner: sets of labelled instances go out without labels, with proportions veiled in several ways."""

from __future__ import annotations

from functools import partial

from replication.arrays import Fields, Key, Released
from replication.papers.class_ratio.fig3.designs import designs
from replication.papers.class_ratio.fig3.settings import Release
from replication.papers.class_ratio.mechanisms import exact_apart, release_proportions
from replication.papers.class_ratio.sets import below, by_frequency, draw_sets, labels_of
from replication.randomness import Trial
from unveil.types import Array


def release(fields: Fields, trial: Trial, settings: Release) -> Released:
    """Who is in which set, `(data set, design, …)`, and proportions, `(…, "proportions", demand, mechanism)`."""
    released: dict[Key, Array] = {}
    for dataset, size, labels in labels_of(fields, settings.sets):
        for k, (_, design) in enumerate(designs(settings, dataset)):
            drawn = draw_sets(labels, by_frequency(labels, size.classes), design, trial.public)
            released |= below(drawn, dataset, k)
            for j, (demand, mechanisms) in enumerate(settings.levels):
                veiled = release_proportions(
                    design.veiled, mechanisms, demand, settings.draws, partial(trial.rng_of, dataset, k, j),
                    settings.public_minimum_share, len(design.train),
                )  # fmt: skip
                released |= below(veiled, dataset, k, "proportions", j)
    return exact_apart(released)
