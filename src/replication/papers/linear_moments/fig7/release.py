"""Figure 7, the owner: one window of each training sentence and how often each tag occurs in it."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from replication.arrays import Fields, Key, Named
from replication.papers.linear_moments.fig7.settings import Regions
from replication.randomness import Trial
from unveil.mechanisms.regions import RegionCounts
from unveil.types import Array, Arrays


def release(fields: Fields, trial: Trial, settings: Regions) -> Named:
    """Windows and counts for every window size; 0 stands for whole sentences. No tag leaves with its word.

    `train_sentences` takes only so many of the training sentences, at random.
    """
    (corpus,) = fields.values()
    chosen = choose_sentences(corpus, trial, settings.train_sentences)
    released: dict[Key, Array] = {}
    for window in settings.windows:
        parts = release_regions(corpus, window, trial.rng_of(window), chosen)
        released |= {(window, name): parts[name] for name in ("start", "stop", "counts")}
    return released


def choose_sentences(corpus: Arrays, trial: Trial, train_sentences: int | None) -> Array:
    """The training sentences, or so many of them."""
    chosen = np.flatnonzero(np.asarray(corpus["split"]) == 0)
    if train_sentences is not None and train_sentences < len(chosen):
        chosen = np.sort(trial.public.choice(chosen, train_sentences, replace=False))
    return chosen


def release_regions(
    corpus: Arrays, window: int, rng: Generator, chosen: Array, tags: int | None = None
) -> dict[str, Array]:
    """Windows of the chosen sentences and the counts of so many tags, of all by default."""
    veil = RegionCounts(window or None, tags)
    regions = veil.release(corpus["tags"], corpus["sentences"], rng, n_tags=len(corpus["tag_names"]))
    return {
        "start": regions.start[chosen],
        "stop": regions.stop[chosen],
        "counts": regions.counts[chosen].astype(np.int16),
        "asked": regions.asked[chosen],
    }
