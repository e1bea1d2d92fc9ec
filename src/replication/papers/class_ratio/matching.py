"""The learner's side of figure 3 and its companions: one kernel pass, then estimates from released proportions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from replication.arrays import Fields, Key, Named, under
from replication.papers.class_ratio.sets import each_design, inputs_of, points_of
from replication.randomness import Trial
from replication.settings import Nothing
from unveil.estimators.bags.mixtures import class_ratios, l1_errors, mixture_weights
from unveil.estimators.bags.mmd_gram import BANDWIDTHS, mean_similarities, mmd_gram
from unveil.types import Array


class Matched(NamedTuple):
    """Weights α̂ of validation and test sets at every bandwidth; they depend on no proportions."""

    validation: Array
    tests: Array


def match(members: Named, inputs: Array) -> Matched:
    """One kernel pass over the points of all sets; it serves every mechanism, draw and test mixture."""
    bags = list(points_of(inputs, members["train"]))
    held_out = list(points_of(inputs, members["validation"]))
    gram, cross = mmd_gram(bags, BANDWIDTHS, held_out)
    each = mean_similarities(bags, points_of(inputs, members["pool"]))
    tests = members["tests"]
    shares = tests / tests.sum(axis=1, keepdims=True)
    return Matched(mixture_weights(gram, cross), mixture_weights(gram, each @ shares.T))


def estimate(matched: Matched, proportions: Array) -> Array:
    """Class ratios of all test sets, (draws, tests, classes), from released proportions (draws, sets, classes).

    The bandwidth is chosen by the mean L1 error against the *released* proportions of the validation sets: the
    learner has no others.
    """
    sets = matched.tests.shape[2]
    estimates = []
    for rows in proportions:
        chosen = int(np.argmin(l1_errors(matched.validation, rows[:sets], rows[sets:])))
        estimates.append(class_ratios(matched.tests[chosen], rows[:sets]))
    return np.stack(estimates)


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Nothing) -> Named:
    """Class ratios of all test sets from all that was released: `(data set, design, mechanism)`."""
    learned: dict[Key, Array] = {}
    for dataset, arrays in public.items():
        for k, veiled in enumerate(each_design(released["sets"], dataset)):
            matched = match(veiled, inputs_of(arrays))
            for mechanism, rows in under(veiled, "proportions").items():
                learned[dataset, k, str(mechanism)] = estimate(matched, rows)
    return learned
