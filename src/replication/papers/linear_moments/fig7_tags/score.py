"""Counts of a few tags, the referee: accuracies as in figure 7, by how many tags were asked for."""

from __future__ import annotations

import pandas as pd

from replication.arrays import Fields, Learned
from replication.papers.linear_moments.fig7.score import RESAMPLED, accuracies

CONTRACT = ["corpus", "window", "tags", "estimator", "trial", "passes", "split", "accuracy"]
COLUMNS = [*CONTRACT, "step1_passes", *RESAMPLED]


def score(learned: Learned, fields: Fields) -> pd.DataFrame:
    """One row an estimator, window, number of tags, trial, evaluation and split."""
    rows = pd.DataFrame(accuracies(learned, fields)).rename(columns={"asked_tags": "tags"})
    return rows.reindex(columns=COLUMNS).sort_values(CONTRACT[:-1], ignore_index=True)
