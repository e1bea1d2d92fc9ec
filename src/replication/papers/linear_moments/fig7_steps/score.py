"""The step-size study, the referee: accuracies as in figure 7, for every optimiser and rate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from replication.arrays import Fields, Named
from replication.papers.linear_moments.fig7.score import COLUMNS as FIGURE_7
from replication.papers.linear_moments.fig7.score import accuracies
from replication.randomness import Trial
from replication.settings import Nothing

COLUMNS = [*FIGURE_7, "optimizer", "rate"]


def score(
    learned: Mapping[str, Sequence[Named]], fields: Fields, trials: Sequence[Trial], settings: Nothing
) -> pd.DataFrame:
    """One row a run, evaluation and split."""
    order = ["corpus", "window", "estimator", "optimizer", "rate", "step1_passes", "trial", "passes", "split"]
    return pd.DataFrame(accuracies(learned, fields), columns=COLUMNS).sort_values(order, ignore_index=True)
