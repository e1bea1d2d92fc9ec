"""The owner: how often each tag occurs in one window of each chosen sentence."""

from __future__ import annotations

from replication.arrays import Fields, Named
from replication.papers.linear_moments.fig7.release import release as release_windows
from replication.papers.linear_moments.fig7.settings import Regions
from replication.papers.linear_moments.today_tags.settings import Asked
from replication.randomness import Trial


def release(fields: Fields, trial: Trial, settings: Asked) -> Named:
    """Windows and counts, `(length, name)`."""
    return release_windows(fields, trial, Regions(windows=settings.windows, train_sentences=settings.sentences))
