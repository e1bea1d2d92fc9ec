"""Counts of a few tags, the owner: as in figure 7, but each annotator counts random tags only (section 4)."""

from __future__ import annotations

from replication.arrays import Fields, Key, Named
from replication.papers.linear_moments.fig7.release import choose_sentences, release_regions
from replication.papers.linear_moments.fig7_tags.settings import Release
from replication.randomness import Trial
from unveil.types import Array


def release(fields: Fields, trial: Trial, settings: Release) -> Named:
    """Windows, which tags were asked for and their counts, for every window size and number of tags."""
    (corpus,) = fields.values()
    chosen = choose_sentences(corpus, trial, settings.train_sentences)
    released: dict[Key, Array] = {}
    for window in settings.windows:
        for tags in settings.tags:
            rng = trial.rng_of(window, tags)
            parts = release_regions(corpus, window, rng, chosen, min(tags, len(corpus["tag_names"])))
            released |= {(window, tags, name): part for name, part in parts.items()}
    return released
