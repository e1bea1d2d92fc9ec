"""Figure 2, the referee: L1 distance between estimated and known class ratios of the test sets."""

from __future__ import annotations

import numpy as np
import pandas as pd

from replication.arrays import Learned, under
from replication.papers.class_ratio.fig2.settings import Score
from replication.papers.class_ratio.sets import positive_counts, shares_of


def score(learned: Learned, settings: Score) -> pd.DataFrame:
    """One row a data set, method, fraction and trial."""
    truth = {
        dataset: shares_of(positive_counts(settings.fractions, size.test)) for dataset, size in settings.sets.items()
    }
    tables = [
        pd.DataFrame(
            {
                "dataset": dataset,
                "method": method,
                "positive_fraction": settings.fractions,
                "trial": number,
                "l1_error": np.abs(ratios - truth[dataset]).sum(axis=1),
                "bandwidth": float(arrays["bandwidth", dataset, str(method)]),
            }
        )
        for learners in learned.values()
        for number, arrays in enumerate(learners)
        for dataset in settings.sets
        for method, ratios in under(arrays, dataset).items()
    ]
    return pd.concat(tables, ignore_index=True)
