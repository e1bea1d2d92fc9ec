"""Many small against few large sets, the referee: mean error over the test mixtures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from replication.papers.class_ratio.arms import only
from replication.papers.class_ratio.sets import Sizes, mixtures, shares_of
from replication.randomness import Trial
from unveil.types import Arrays


def score(
    learned: Mapping[str, Sequence[Arrays]],
    fields: Mapping[str, Arrays],
    trials: Sequence[Trial],
    *,
    sets: Mapping[str, Any],
    copies: Sequence[int],
    steps: int,
    mechanisms: Sequence[str],
) -> pd.DataFrame:
    """One row a data set, number of sets, trial and mechanism; no error where the mechanism has no scale."""
    rows = []
    learners = only(learned)
    for dataset in sets:
        size = Sizes.of(sets, dataset)
        truth = shares_of(mixtures(size.classes, steps, size.test))
        for copy in copies:
            shape = {"dataset": dataset, "sets": copy * size.classes, "n": size.train // copy}
            for number, arrays in enumerate(learners):
                for name in mechanisms:
                    found = arrays.get(f"{dataset}/{copy}/{name}")
                    error = np.nan if found is None else float(np.abs(found - truth).sum(axis=2).mean())
                    rows.append({**shape, "trial": number, "l1_error": error, "mechanism": name})
    return pd.DataFrame(rows)
