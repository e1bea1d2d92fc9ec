"""The owner: how often each tag occurs in one window of each chosen sentence."""

from __future__ import annotations

from replication.arrays import Fields, Key, Named
from replication.papers.linear_moments.fig7.release import choose_sentences, release_regions
from replication.papers.linear_moments.today_tags.settings import Asked
from replication.randomness import Trial
from unveil.types import Array


def release(fields: Fields, trial: Trial, settings: Asked) -> Named:
    """Windows and counts, `(length, name)`."""
    (corpus,) = fields.values()
    chosen = choose_sentences(corpus, trial, settings.sentences)
    released: dict[Key, Array] = {}
    for window in settings.windows:
        parts = release_regions(corpus, window, trial.rng_of(window), chosen)
        released |= {(window, name): parts[name] for name in ("start", "stop", "counts")}
    return released
