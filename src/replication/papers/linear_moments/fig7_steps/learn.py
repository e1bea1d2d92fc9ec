"""The step-size study, the learner: figure 7's taggers under every optimiser, rate and effort in step 1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import NamedTuple

import numpy as np

from replication.arrays import Fields, Key, Named, under
from replication.papers.linear_moments.fig7.learn import filed, made, noted, train, window_order
from replication.papers.linear_moments.fig7_steps.settings import Learn
from replication.papers.linear_moments.settings import Estimator, Optimizer
from replication.randomness import Trial
from unveil.types import Array

#: Estimators whose step 1 can be limited.
FIRST_STEP = ("moments", "moments_features")


class Run(NamedTuple):
    """One tagger of the study; step 1 of its moments may take `limit` passes."""

    estimator: Estimator
    window: int
    optimizer: Optimizer
    rate: float
    limit: int


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """Train all combinations."""
    (regions,) = released.values()
    ((corpus, text),) = public.items()
    learned: dict[Key, Array] = {}
    for number, run in enumerate(runs(settings)):
        tagger = made(
            run.estimator,
            settings,
            optimizer=run.optimizer,
            rate=run.rate,
            step1_passes=run.limit,
            random_state=window_order(trial, run.window),
        )
        notes = noted(train(tagger, under(regions, run.window), text))
        notes |= {"optimizer": np.array(run.optimizer), "rate": np.array(run.rate)}
        learned |= filed(notes, corpus, run.estimator, run.window, number)
    return learned


def runs(settings: Learn) -> Iterator[Run]:
    """Every run of the study."""
    steps = [(optimizer, float(rate)) for optimizer, rates in settings.rates.items() for rate in rates]
    for estimator, windows in settings.estimators.items():
        limits = settings.step1_limits if estimator in FIRST_STEP else (max(settings.step1_limits),)
        for window, (optimizer, rate), limit in product(windows, steps, limits):
            yield Run(estimator, window, optimizer, rate, limit)
