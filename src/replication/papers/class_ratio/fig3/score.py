"""Figure 3, the referee: L1 distance between the estimated and the known class ratios of the test sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from replication.papers.class_ratio.arms import only
from replication.papers.class_ratio.sets import Sizes, mixture_shares, mixtures, shares_of
from replication.randomness import Trial
from unveil.types import Array, Arrays


def score(
    learned: Mapping[str, Sequence[Arrays]],
    fields: Mapping[str, Arrays],
    trials: Sequence[Trial],
    *,
    mechanisms: Sequence[str],
    sets: Mapping[str, Any],
    steps: int,
) -> pd.DataFrame:
    """One row a mixture, mechanism, trial and draw; a mechanism without a valid scale has one empty row a mixture."""
    tables = []
    learners = only(learned)
    for dataset in sets:
        size = Sizes.of(sets, dataset)
        truth = pd.DataFrame(
            shares_of(mixtures(size.classes, steps, size.test)), index=mixture_shares(size.classes, steps)
        )
        tables += [
            error_rows(arrays.get(f"{dataset}/{name}"), truth).assign(
                dataset=dataset, mechanism=name, trial=number
            )
            for number, arrays in enumerate(learners)
            for name in mechanisms
        ]
    columns = ["dataset", "mechanism", "x", "trial", "l1_error", "draw", "status"]
    return pd.concat(tables, ignore_index=True)[columns]


def error_rows(estimates: Array | None, truth: pd.DataFrame) -> pd.DataFrame:
    """L1 errors of estimates (draws, tests, classes), one row a draw and test; without estimates, empty ones.

    `truth` has one row a test set, its index the x under which the test set is shown.
    """
    if estimates is None:
        return pd.DataFrame({"x": truth.index, "l1_error": np.nan, "draw": 0, "status": "no_scale"})
    errors = np.abs(estimates - truth.to_numpy()).sum(axis=2)
    draws, tests = errors.shape
    return pd.DataFrame(
        {
            "x": np.tile(truth.index, draws),
            "l1_error": errors.ravel(),
            "draw": np.repeat(np.arange(draws), tests),
            "status": "ok",
        }
    )
