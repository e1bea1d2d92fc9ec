"""What published sets give away, the owner: who is in which set, and the proportions, veiled."""

from __future__ import annotations

import numpy as np

from replication.arrays import Fields, Key, Released
from replication.papers.class_ratio.mechanisms import exact_apart
from replication.papers.class_ratio.membership.designs import counts_of, designs
from replication.papers.class_ratio.membership.settings import Release
from replication.papers.class_ratio.sets import by_frequency, inputs_of, labels_of, shares_of
from replication.randomness import Trial
from unveil.mechanisms.counts import GaussianCounts
from unveil.types import Array


def release(fields: Fields, trial: Trial, settings: Release) -> Released:
    """Members `(data set, design, kind, number)`, and the proportions of training and validation sets."""
    released: dict[Key, Array] = {}
    for dataset, own, labels in labels_of(fields, settings.sets):
        classes = by_frequency(labels, own.classes)
        for k, drawn in enumerate(designs(settings, own, labels, inputs_of(fields[dataset]), trial.public)):
            for kind, sets in (("train", drawn.train), ("validation", drawn.validation), ("tests", drawn.tests)):
                released |= {(dataset, k, kind, i): members.astype(np.int32) for i, members in enumerate(sets)}
            counts = counts_of(labels, classes, [*drawn.train, *drawn.validation])
            shares = shares_of(counts)
            if drawn.shares is not None:
                veiled = np.tile(drawn.shares, (2, 1))
            else:
                veil = GaussianCounts(drawn.left, settings.delta, "analytic")
                veiled = veil.release(counts, trial.rng_of(dataset, k))
            released[dataset, k, "proportions", "veiled"] = veiled
            if drawn.design != "randomised":
                released[dataset, k, "proportions", "none"] = shares
    return exact_apart(released)
