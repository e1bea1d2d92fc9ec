"""Figure 2, the referee: L1 distance between estimated and known class ratios of the test sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from replication.papers.class_ratio.sets import Sizes, positive_counts, shares_of
from replication.randomness import Trial
from unveil.types import Arrays


def score(
    learned: Mapping[str, Sequence[Arrays]],
    fields: Mapping[str, Arrays],
    trials: Sequence[Trial],
    *,
    sets: Mapping[str, Any],
    fractions: Sequence[float],
) -> pd.DataFrame:
    """One row a data set, method, fraction and trial."""
    tables = []
    for learners in learned.values():
        for number, arrays in enumerate(learners):
            for name, ratios in arrays.items():
                if name.startswith("seconds_"):
                    continue
                dataset, method = name.split("/")
                truth = shares_of(positive_counts(fractions, Sizes.of(sets, dataset).test))
                rows = {
                    "positive_fraction": fractions,
                    "trial": number,
                    "l1_error": np.abs(ratios - truth).sum(axis=1),
                }
                tables.append(pd.DataFrame({"dataset": dataset, "method": method, **rows}))
    return pd.concat(tables, ignore_index=True)
