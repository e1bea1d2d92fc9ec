"""Accuracy against computing, the referee: test accuracies as in figure 7, beside the work that they took."""

from __future__ import annotations

import pandas as pd

from replication.arrays import Fields, Learned
from replication.papers.linear_moments.fig7.score import accuracies

COLUMNS = ["corpus", "window", "estimator", "trial", "passes", "work", "accuracy", "accuracy_sd"]


def score(learned: Learned, fields: Fields) -> pd.DataFrame:
    """One row an estimator, window, trial and evaluation."""
    rows = pd.DataFrame(accuracies(learned, fields))
    return rows.loc[rows["split"] == "test", COLUMNS].sort_values(COLUMNS[:5], ignore_index=True)
