"""Figure 7, the owner: one window of each training sentence and how often each tag occurs in it."""

from __future__ import annotations

import numpy as np

from replication.arrays import Fields, Key, Named
from replication.papers.linear_moments.settings import Regions
from replication.randomness import Trial
from unveil.mechanisms.regions import RegionCounts
from unveil.types import Array


def release(fields: Fields, trial: Trial, settings: Regions) -> Named:
    """Windows and counts for every window size; 0 stands for whole sentences. No tag leaves with its word.

    `train_sentences` takes only so many of the training sentences, at random.
    """
    (corpus,) = fields.values()
    chosen = np.flatnonzero(np.asarray(corpus["split"]) == 0)
    if settings.train_sentences is not None and settings.train_sentences < len(chosen):
        chosen = np.sort(trial.public.choice(chosen, settings.train_sentences, replace=False))
    released: dict[Key, Array] = {}
    for window in settings.windows:
        regions = RegionCounts(window or None).release(
            corpus["tags"], corpus["sentences"], trial.rng, n_tags=len(corpus["tag_names"])
        )
        released[window, "start"] = regions.start[chosen]
        released[window, "stop"] = regions.stop[chosen]
        released[window, "counts"] = regions.counts[chosen].astype(np.int16)
    return released
