"""Counts of a few tags, the learner: figure 7's taggers from counts of random subsets of the tags."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np

from replication.arrays import Fields, Key, Named, under
from replication.papers.linear_moments.fig7.learn import file_notes, run_estimator, window_order
from replication.papers.linear_moments.fig7_tags.settings import Learn
from replication.randomness import Trial
from unveil.types import Array


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """Train each estimator on its window sizes, for every number of tags that are asked for."""
    (regions,) = released.values()
    ((corpus, text),) = public.items()
    learned: dict[Key, Array] = {}
    for estimator in settings.estimators:
        for window, tags in product(settings.sizes_of(estimator), settings.tags):
            own, order = under(regions, window, tags), window_order(trial, window)
            notes = run_estimator(estimator, own, text, order, settings)
            learned |= file_notes({**notes, "asked_tags": np.array(tags)}, corpus, estimator, window, tags)
    return learned
