"""The step-size study, the learner: figure 7's taggers under every optimiser, rate and effort in step 1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from replication.arrays import Fields, Key, Named, under
from replication.papers.linear_moments.fig7.learn import filed, made, noted, train, window_order
from replication.papers.linear_moments.fig7_steps.settings import Learn
from replication.papers.linear_moments.settings import Estimator
from replication.randomness import Trial
from unveil.types import Array

#: Estimators whose step 1 can be limited.
FIRST_STEP = ("moments", "moments_features")


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """Train all combinations."""
    (regions,) = released.values()
    ((corpus, text),) = public.items()
    learned: dict[Key, Array] = {}
    for number, (estimator, window, steps) in enumerate(runs(settings)):
        tagger = made(estimator, settings, **steps, random_state=window_order(trial, window))
        notes = noted(train(tagger, under(regions, window), text))
        learned |= filed(notes, corpus, estimator, window, number)
    return learned


def runs(settings: Learn) -> Iterator[tuple[Estimator, int, Mapping[str, Any]]]:
    """Every run of the study: an estimator, a window size, and the steps that its tagger takes."""
    rates = [(optimizer, float(rate)) for optimizer, own in settings.rates.items() for rate in own]
    for estimator, windows in settings.estimators.items():
        limits = settings.step1_limits if estimator in FIRST_STEP else (max(settings.step1_limits),)
        for window, (optimizer, rate), limit in product(windows, rates, limits):
            yield estimator, window, {"optimizer": optimizer, "rate": rate, "step1_passes": limit}
