"""Figure 3, the referee: L1 distance between the estimated and the known class ratios of the test sets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from replication.arrays import Learned
from replication.papers.class_ratio.fig3.designs import designs
from replication.papers.class_ratio.fig3.settings import Designed
from replication.papers.class_ratio.sets import Design, shares_of
from unveil.types import Array


class Outcome(NamedTuple):
    """L1 errors of one trial of an estimator under one mechanism, (draws, tests); none where nothing was released."""

    dataset: str
    rho: float
    design: Design
    trial: int
    mechanism: str
    errors: Array | None
    estimator: str = "mmd"

    @property
    def mean(self) -> float:
        """The mean over draws and tests, or nan."""
        return float(np.nan if self.errors is None else self.errors.mean())


def outcomes(learned: Learned, settings: Designed) -> Iterator[Outcome]:
    """By data set, design, arm, trial, estimator and mechanism."""
    for dataset in settings.sets:
        for k, (rho, design) in enumerate(designs(settings, dataset)):
            truth = shares_of(design.tests)
            for learners in learned.values():
                for trial, arrays in enumerate(learners):
                    for estimator in dict.fromkeys(str(name[2]) for name in arrays if name[:2] == (dataset, k)):
                        for mechanism in settings.mechanisms:
                            found = arrays.get((dataset, k, estimator, mechanism))
                            errors = None if found is None else np.abs(found - truth).sum(axis=2)
                            yield Outcome(dataset, rho, design, trial, mechanism, errors, estimator)


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
