"""The step-size study, the owner: what figure 7 releases, for fewer window sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from replication.papers.linear_moments.fig7.release import release_windows
from replication.randomness import Trial
from unveil.types import Arrays


def release(
    fields: Mapping[str, Arrays], trial: Trial, *, windows: Sequence[int], train_sentences: int | None
) -> Arrays:
    """Windows and counts for every window size; 0 stands for whole sentences."""
    (corpus,) = fields.values()
    return release_windows(corpus, trial, windows, train_sentences)
