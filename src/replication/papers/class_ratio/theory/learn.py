"""The bounds against experiments, the learner: the quantities of each least-squares problem at the chosen bandwidth."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from replication.arrays import Fields, Key, Named, under
from replication.papers.class_ratio.sets import below, each_design, inputs_of, points_of
from replication.randomness import Trial
from replication.settings import Nothing
from unveil.estimators.bags.mixtures import class_ratios, l1_errors, mixture_weights
from unveil.estimators.bags.mmd_gram import BANDWIDTHS, mmd_gram
from unveil.types import Array


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Nothing) -> Named:
    """Inner products, weights and estimates for each set size, named `(data set, position of the size, …)`."""
    learned: dict[Key, Array] = {}
    for dataset, arrays in public.items():
        for k, veiled in enumerate(each_design(released["sets"], dataset)):
            learned |= below(_problem(veiled, inputs_of(arrays)), dataset, k)
    return learned


def _problem(veiled: Named, inputs: Array) -> dict[str, Array]:
    """The problem min ‖Âα − â‖ of one size."""
    bags = list(points_of(inputs, veiled["train"]))
    test = points_of(inputs, veiled["pool"])[veiled["tests"][0]]
    held_out = list(points_of(inputs, veiled["validation"]))
    gram, cross = mmd_gram(bags, BANDWIDTHS, [*held_out, test])
    to_test, proportions = cross[:, :, -1:], veiled["proportions", "none"][0]
    chosen = int(np.argmin(l1_errors(mixture_weights(gram, cross[:, :, :-1]), proportions, proportions)))
    weights = mixture_weights(gram, to_test)[chosen, 0]
    found = {
        "gram": gram[chosen],
        "cross": to_test[chosen, :, 0],
        "square": mmd_gram([test], [BANDWIDTHS[chosen]])[0][0, 0, 0],
        "weights": weights,
        "estimate": class_ratios(weights, proportions),
    }
    # Where sets are too small for a scale, a mechanism has released nothing.
    return found | {str(name): rows[0] for name, rows in under(veiled, "proportions").items()}
