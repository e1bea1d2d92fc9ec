"""The learner's side of figure 3 and its companions: one kernel pass, then estimates from released proportions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from replication.papers.class_ratio.sets import points_of
from unveil.estimators.bags.mixtures import class_ratios, l1_errors, mixture_weights
from unveil.estimators.bags.mmd_gram import BANDWIDTHS, mean_similarities, mmd_gram
from unveil.types import Array, Arrays


class Matched(NamedTuple):
    """Weights α̂ of validation and test sets at every bandwidth; they depend on no proportions."""

    validation: Array
    tests: Array


def match(released: Arrays, inputs: Array) -> Matched:
    """One kernel pass over the points of all sets; it serves every mechanism, draw and test mixture."""
    bags = list(points_of(inputs, released["train"]))
    held_out = list(points_of(inputs, released["validation"]))
    gram, cross = mmd_gram(bags, BANDWIDTHS, held_out)
    each = mean_similarities(bags, points_of(inputs, released["pool"]))
    tests = released["tests"]
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


def inputs_of(arrays: Arrays) -> Array:
    """The feature matrix, or the images, of a data set."""
    return arrays["images"] if "images" in arrays else arrays["features"]
