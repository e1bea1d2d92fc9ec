"""The step-size study, the referee: accuracies as in figure 7, for every optimiser and rate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from replication.arrays import Fields, Named
from replication.papers.linear_moments.fig7.score import CONTRACT, RESAMPLED, accuracies

COLUMNS = [*CONTRACT, "optimizer", "rate", "step1_rate", "held_out", "chosen", *RESAMPLED]
RUN = ["corpus", "window", "estimator", "trial", "optimizer", "rate", "step1_rate"]


def score(learned: Mapping[str, Sequence[Named]], fields: Fields) -> pd.DataFrame:
    """One row a run, evaluation and split.

    `held_out` is the error on the held-out counts; `chosen` marks, in each trial, the run of an estimator with the
    least of it, averaged over the evaluations. `step1_rate` is 0 where step 1 is no stochastic descent.
    """
    rows = pd.DataFrame(accuracies(learned, fields)).rename(columns={"own_step1_rate": "step1_rate"})
    # ASSUME: the mean over all evaluations, so that no number of passes is favoured.
    error = rows.groupby(RUN)["held_out"].transform("mean")
    least = error.groupby([rows[name] for name in RUN[:4]]).transform("min")
    rows["chosen"] = error == least
    order = [*RUN[:3], "optimizer", "rate", "step1_rate", "trial", "passes", "split"]
    return rows.reindex(columns=COLUMNS).sort_values(order, ignore_index=True)
