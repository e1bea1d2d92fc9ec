"""The owner's side of both crossover figures: one veil for all estimators, and who is in which test set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp

import numpy as np
from numpy.random import Generator

from replication.papers.mean_operator.tasks import is_test, label_signs, task_rows
from replication.randomness import Trial
from unveil.errors import require
from unveil.mechanisms.flips import LabelFlips
from unveil.types import Array, Arrays


def flip_probability(epsilon: float) -> float:
    """How often a label is flipped at ε; never, where ε is infinite."""
    require(epsilon > 0, f"epsilon must be positive, got {epsilon}")
    return 1 / (1 + exp(epsilon)) if epsilon < 700 else 0.0


def veiled_labels(
    fields: Mapping[str, Arrays],
    trial: Trial,
    datasets: Sequence[str],
    epsilons: Sequence[float],
    most: int,
    test: int,
    fractions: Sequence[float],
    set_size: int,
) -> Arrays:
    """For each data set: flipped labels at every ε for up to `most` records, and the members of the test sets.

    Records stand in random order, so that any head of them is a sample. `tests` are shifted on purpose: as many of
    each class as the fraction asks for, drawn from the records held out. Which records they are leaves the owner,
    labels do not.
    """
    released: dict[str, Array] = {}
    for dataset in datasets:
        everybody = task_rows(dataset, fields)
        labels = (label_signs(dataset, fields, everybody) > 0).astype(np.uint8)
        # A stream of its own: the split was drawn from the beginning of the shared one.
        public = trial.public.spawn(1)[0]
        held_out = is_test(dataset, fields, everybody, trial)
        train = public.permutation(np.flatnonzero(~held_out))[:most]
        pool = public.permutation(np.flatnonzero(held_out))
        veiled = [LabelFlips(flip_probability(e)).release(labels[train], trial.rng) for e in epsilons]
        released |= {
            f"{dataset}.everybody": everybody,
            f"{dataset}.train": train,
            f"{dataset}.veiled": np.stack(veiled),
            f"{dataset}.test": pool[:test],
            f"{dataset}.tests": shifted_sets(pool, labels[pool], fractions, set_size, public),
        }
    return released


def shifted_sets(
    pool: Array, labels: Array, fractions: Sequence[float], set_size: int, rng: Generator
) -> Array:
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
    require(all(0 < share < 1 for share in fractions), "fractions must lie between 0 and 1")
    return [round(share * size) for share in fractions]
