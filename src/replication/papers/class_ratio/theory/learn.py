"""The bounds against experiments, the learner: the quantities of each least-squares problem at the chosen bandwidth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from replication.papers.class_ratio.arms import below, only, part
from replication.papers.class_ratio.matching import inputs_of
from replication.papers.class_ratio.sets import points_of
from replication.papers.class_ratio.veils import NONE
from replication.randomness import Trial
from unveil.estimators.bags.mixtures import class_ratios, l1_errors, mixture_weights
from unveil.estimators.bags.mmd_gram import BANDWIDTHS, mmd_gram
from unveil.types import Array, Arrays


def learn(
    released: Mapping[str, Arrays],
    public: Mapping[str, Arrays],
    trial: Trial,
    *,
    sizes: Mapping[str, Any],
) -> Arrays:
    """Inner products, weights and estimates for each set size, named `<data set>/<n>/<name>`."""
    learned: dict[str, Array] = {}
    for dataset, arrays in public.items():
        for n in sizes[dataset]:
            veiled = part(only(released), dataset, n)
            learned |= below(_problem(veiled, inputs_of(arrays)), dataset, n)
    return learned


def _problem(veiled: Arrays, inputs: Array) -> dict[str, Array]:
    """The problem min ‖Âα − â‖ of one size: the test set goes in as one more bag, for ‖â‖."""
    bags = list(points_of(inputs, veiled["train"]))
    test = points_of(inputs, veiled["pool"])[veiled["tests"][0]]
    held_out = list(points_of(inputs, veiled["validation"]))
    every, cross = mmd_gram([*bags, test], BANDWIDTHS, held_out)
    sets, proportions = len(bags), veiled[NONE][0]
    gram, to_test = every[:, :sets, :sets], every[:, :sets, sets:]
    chosen = int(np.argmin(l1_errors(mixture_weights(gram, cross[:, :sets]), proportions, proportions)))
    weights = mixture_weights(gram, to_test)[chosen, 0]
    return {
        "gram": gram[chosen],
        "cross": to_test[chosen, :, 0],
        "square": every[chosen, sets, sets],
        "weights": weights,
        "estimate": class_ratios(weights, proportions),
        **{name: veiled[name] for name in ("scaled_dirichlet_tight",) if name in veiled},
    }
