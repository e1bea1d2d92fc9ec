"""Figure 7, the owner: one window of each training sentence and how often each tag occurs in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from replication.randomness import Trial
from unveil.mechanisms.regions import RegionCounts
from unveil.types import Arrays


def release(
    fields: Mapping[str, Arrays], trial: Trial, *, windows: Sequence[int], train_sentences: int | None
) -> Arrays:
    """Windows and counts for every window size; 0 stands for whole sentences. No tag leaves with its word."""
    (corpus,) = fields.values()
    return release_windows(corpus, trial, windows, train_sentences)


def release_windows(
    corpus: Arrays, trial: Trial, windows: Sequence[int], train_sentences: int | None
) -> Arrays:
    """The same for one corpus; `train_sentences` takes only so many of the training sentences, at random."""
    chosen = np.flatnonzero(np.asarray(corpus["split"]) == 0)
    if train_sentences is not None and train_sentences < len(chosen):
        chosen = np.sort(trial.public.choice(chosen, train_sentences, replace=False))
    released = {}
    for window in windows:
        mechanism = RegionCounts(window or None)
        regions = mechanism.release(
            corpus["tags"], corpus["sentences"], trial.rng, n_tags=len(corpus["tag_names"])
        )
        released[f"start_{window}"] = regions.start[chosen]
        released[f"stop_{window}"] = regions.stop[chosen]
        released[f"counts_{window}"] = regions.counts[chosen].astype(np.int16)
    return released
