"""Figure 3, the referee: L1 distance between the estimated and the known class ratios of the test sets."""

from __future__ import annotations

import numpy as np
import pandas as pd

from replication.arrays import Learned
from replication.papers.class_ratio.errors import Outcome, outcomes
from replication.papers.class_ratio.settings import Designed


def score(learned: Learned, settings: Designed) -> pd.DataFrame:
    """One row a mixture, mechanism, trial and draw; a mechanism without a valid scale has one empty row a mixture."""
    return pd.concat(map(error_rows, outcomes(learned, settings)), ignore_index=True)


def error_rows(outcome: Outcome) -> pd.DataFrame:
    """One row a draw and test set, which is shown under its x; without estimates, empty ones."""
    x, dominant = outcome.design.x, outcome.design.dominant
    errors = np.full((1, len(x)), np.nan) if outcome.errors is None else outcome.errors
    return pd.DataFrame(
        {
            "dataset": outcome.dataset,
            "mechanism": outcome.mechanism,
            "x": np.tile(x, len(errors)),
            "trial": outcome.trial,
            "l1_error": errors.ravel(),
            "estimator": outcome.estimator,
            "dominant": np.tile(dominant, len(errors)),
            "rho": outcome.rho,
            "draw": np.repeat(np.arange(len(errors)), len(x)),
            "status": "no_scale" if outcome.errors is None else "ok",
        }
    )
