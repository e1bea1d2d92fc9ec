"""The owner of the crossover: one veil for all estimators, and who is in which test set."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, isinf

import numpy as np
from numpy.random import Generator

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
    """For each data set: flipped labels at every ε for the largest size, and the members of the test sets.

    Records stand in random order, so that any head of them is a sample. `tests` are shifted on purpose: as many of
    each class as the fraction asks for, drawn from the records held out. Which records they are leaves the owner,
    labels do not. Labels at ε = ∞, where none is flipped, stand apart.
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
        released |= {
            (dataset, "train"): train,
            (dataset, "test"): pool[: settings.test],
            (dataset, "tests"): draw_shifted_sets(pool, labels[pool], settings.fractions, settings.set_size, public),
        }
    return Released(released, exact)


def draw_shifted_sets(pool: Array, labels: Array, fractions: Sequence[float], set_size: int, rng: Generator) -> Array:
    """Members of one set a fraction, (fractions, size); smaller ones where a class runs out of records."""
    ones, zeros = pool[labels == 1], pool[labels == 0]
    size = int(min(set_size, len(ones) / max(fractions), len(zeros) / (1 - min(fractions))))
    require(size >= 10, f"set_size: the held-out records fill sets of {size} only; at least 10 are needed")
    sets = []
    for count in positives(fractions, size):
        members = [rng.choice(ones, count, replace=False), rng.choice(zeros, size - count, replace=False)]
        sets.append(np.concatenate(members))
    return np.stack(sets)


def positives(fractions: Sequence[float], size: int) -> list[int]:
    """How many positives each set has."""
    return [round(share * size) for share in fractions]
