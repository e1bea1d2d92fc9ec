"""Figure 2, the owner: two training, two validation and nine test sets of two classes, with exact proportions."""

from __future__ import annotations

import numpy as np

from replication.arrays import Fields, Key, Named
from replication.papers.class_ratio.fig2.settings import Release
from replication.papers.class_ratio.sets import (
    Design,
    below,
    draw_sets,
    labels_of,
    positive_counts,
    shares_of,
    skewed_counts,
)
from replication.randomness import Trial
from unveil.types import Array


def release(fields: Fields, trial: Trial, settings: Release) -> Named:
    """Who is in which set, and the true proportions: this figure has no privacy."""
    released: dict[Key, Array] = {}
    for dataset, size, labels in labels_of(fields, settings.sets):
        train, validation = (skewed_counts(2, settings.rho, n) for n in (size.train, size.validation))
        design = Design(train, validation, positive_counts(settings.fractions, size.test))
        drawn = draw_sets(labels, np.array([0, 1]), design, trial.public)
        proportions = {"none": shares_of(design.veiled)[None]}
        released |= below(drawn, dataset, 0) | below(proportions, dataset, 0, "proportions")
    return released
