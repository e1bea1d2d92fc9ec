"""Figure 3, the referee: L1 distance between the estimated and the known class ratios of the test sets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from replication.arrays import Fields, Learned
from replication.papers.class_ratio.fig3.designs import designs
from replication.papers.class_ratio.fig3.settings import Designed
from replication.papers.class_ratio.sets import Design, by_frequency, labels_of, shares_of
from replication.papers.class_ratio.settings import Demand
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
    demand: Demand = Demand()

    @property
    def mean(self) -> float:
        """The mean over draws and over the tests in which the last class is the common one, or nan."""
        own = np.asarray(self.design.dominant) == self.design.tests.shape[1] - 1
        return float(np.nan if self.errors is None else self.errors[:, own].mean())

    @property
    def accuracy(self) -> float:
        """Of a method that counts a classifier's predictions: how many it has right, mean over the classes, or nan.

        In a test set of one class the share of the wrong ones is half of the error.
        """
        pure = (self.design.tests > 0).sum(axis=1) == 1
        whole = self.errors is not None and pure.sum() >= self.design.tests.shape[1]
        return float(1.0 - self.errors[:, pure].mean() / 2.0) if whole else np.nan  # type: ignore[index]


def outcomes(learned: Learned, settings: Designed) -> Iterator[Outcome]:
    """By data set, design, arm, trial, estimator and mechanism."""
    for dataset in settings.sets:
        for k, (rho, design) in enumerate(designs(settings, dataset)):
            truth = shares_of(design.tests)
            for learners in learned.values():
                for trial, arrays in enumerate(learners):
                    for estimator in dict.fromkeys(str(name[2]) for name in arrays if name[:2] == (dataset, k)):
                        asked = {name[3] for name in arrays if name[:3] == (dataset, k, estimator)}
                        for j, (demand, mechanisms) in enumerate(settings.levels):
                            if j not in asked:
                                continue  # this estimator did not learn from it
                            for mechanism in mechanisms:
                                found = arrays.get((dataset, k, estimator, j, mechanism))
                                errors = None if found is None else np.abs(found - truth).sum(axis=2)
                                yield Outcome(dataset, rho, design, trial, mechanism, errors, estimator, demand)


def score(learned: Learned, fields: Fields, settings: Designed) -> pd.DataFrame:
    """One row a mixture, mechanism, trial and draw; a mechanism without a valid scale has one empty row a mixture.

    `dominant` ranks the common class from rare to frequent, and `named_last` says whether its label is the last one.
    What differs from the figure's own protocol by a choice is told of its common class, the most frequent one, only.
    """
    rows = pd.concat(map(error_rows, outcomes(learned, settings)), ignore_index=True)
    last = {name: size.classes - 1 for name, size in settings.sets.items()}
    named = {
        name: int(np.argmax(by_frequency(labels, size.classes)))
        for name, size, labels in labels_of(fields, settings.sets)
    }
    own = (rows["epsilon"] == settings.epsilon) & (rows["delta"] == settings.delta) & (rows["estimator"] != "mmd_gamma")
    kept = rows[own | (rows["dominant"] == rows["dataset"].map(last))]
    return kept.assign(named_last=kept["dominant"] == kept["dataset"].map(named))


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
            "epsilon": outcome.demand.epsilon,
            "delta": outcome.demand.delta,
        }
    )
