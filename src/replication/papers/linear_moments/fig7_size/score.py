"""Figure 7 by the number of sentences, the referee: accuracies as in figure 7, and the windows seen until then."""

from __future__ import annotations

import pandas as pd

from replication.arrays import Fields, Learned
from replication.papers.linear_moments.fig7.score import CONTRACT, RESAMPLED, accuracies

COLUMNS = [*CONTRACT, "n_train", "windows_seen", *RESAMPLED]


def score(learned: Learned, fields: Fields) -> pd.DataFrame:
    """One row an estimator, window, number of sentences, trial, evaluation and split."""
    rows = pd.DataFrame(accuracies(learned, fields))
    rows["windows_seen"] = (rows["passes"] * rows["n_train"]).round().astype(int)
    order = ["corpus", "window", "estimator", "n_train", "trial", "passes", "split"]
    return rows.reindex(columns=COLUMNS).sort_values(order, ignore_index=True)
