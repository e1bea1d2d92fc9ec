"""The owner of the crossover: one veil for all estimators, and who is in the test set."""

from __future__ import annotations

from math import exp, isinf

import numpy as np

from replication.arrays import Fields, Key, Released
from replication.common.tasks import is_test, signs
from replication.papers.crossover.epsilon.settings import Release
from replication.randomness import Trial
from unveil.errors import require
from unveil.mechanisms.flips import LabelFlips
from unveil.types import Array


def flip_probability(epsilon: float) -> float:
    """How often a label is flipped at ε; never, where ε is infinite."""
    require(epsilon > 0, f"epsilon must be positive, got {epsilon}")
    return 1 / (1 + exp(epsilon)) if epsilon < 700 else 0.0


def release(fields: Fields, trial: Trial, settings: Release) -> Released:
    """For each data set: flipped labels at every ε for the largest size, and the members of the test set.

    Records stand in random order, so that any head of them is a sample. Labels at ε = ∞, where none is flipped, stand
    apart.
    """
    released: dict[Key, Array] = {}
    exact: dict[Key, Array] = {}
    for dataset in settings.datasets:
        labels = (signs(dataset, fields) > 0).astype(np.uint8)
        # A stream of its own: the split was drawn from the beginning of the shared one.
        public = trial.public.spawn(1)[0]
        held_out = is_test(dataset, fields, len(labels), trial)
        train = public.permutation(np.flatnonzero(~held_out))[: max(settings.sizes)]
        pool = public.permutation(np.flatnonzero(held_out))
        for i, epsilon in enumerate(settings.epsilons):
            reported = LabelFlips(flip_probability(epsilon)).release(labels[train], trial.rng_of(dataset, epsilon))
            (exact if isinf(epsilon) else released)[dataset, "veiled", i] = reported
        released |= {(dataset, "train"): train, (dataset, "test"): pool[: settings.test]}
    return Released(released, exact)
