"""The referee's side of figure 3 and its companions: estimated class ratios against the known ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, get_args

import numpy as np

from replication.arrays import Named
from replication.papers.class_ratio.sets import Design, designs, shares_of
from replication.papers.class_ratio.settings import Dataset, Designed, Estimator, Veil
from unveil.types import Array


class Outcome(NamedTuple):
    """L1 errors of one trial of an estimator under one mechanism, (draws, tests); none where nothing was released."""

    dataset: Dataset
    rho: float
    design: Design
    trial: int
    mechanism: Veil
    errors: Array | None
    estimator: Estimator = "mmd"

    @property
    def mean(self) -> float:
        """The mean over draws and tests, or nan."""
        return float(np.nan if self.errors is None else self.errors.mean())


def outcomes(learned: Mapping[str, Sequence[Named]], settings: Designed) -> Iterator[Outcome]:
    """By data set, design, trial, estimator and mechanism."""
    for dataset in settings.sets:
        for k, (rho, design) in enumerate(designs(settings, dataset)):
            truth = shares_of(design.tests)
            for learners in learned.values():
                for trial, arrays in enumerate(learners):
                    known = {name[2] for name in arrays if name[:2] == (dataset, k)}
                    for estimator in (name for name in get_args(Estimator) if name in known):
                        for mechanism in settings.mechanisms:
                            found = arrays.get((dataset, k, estimator, mechanism))
                            errors = None if found is None else np.abs(found - truth).sum(axis=2)
                            yield Outcome(dataset, rho, design, trial, mechanism, errors, estimator)
