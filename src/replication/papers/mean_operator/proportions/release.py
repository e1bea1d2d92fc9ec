"""The owner of the labels: bags, and the share of positives in each, exact and noisy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
from numpy.random import Generator

from replication.papers.mean_operator.tasks import PublicFeatures, is_test, label_signs, task_rows
from replication.randomness import Trial
from unveil.mechanisms.mean_operator import MeanOperatorRelease, mean_operator
from unveil.types import Array, Arrays, Floats

PUBLIC = PublicFeatures()
BAGGINGS = ("homogeneous", "sorted")
#: The log-odds of the first and the last homogeneous bag, relative to the whole.
REACH = 2.0


def release(
    fields: Mapping[str, Arrays],
    trial: Trial,
    *,
    dataset: str,
    bag_counts: Sequence[int],
    alphas: Sequence[float],
) -> Arrays:
    """Each record's bag, each bag's proportion at each α, and for comparison the mean operator itself.

    ASSUME: who is in which bag is public, as in all learning from proportions; labels, given the bags, are private.
    """
    everybody = task_rows(dataset, fields)
    features = PUBLIC.of(dataset, fields, everybody)
    rows = np.flatnonzero(~is_test(dataset, fields, everybody, trial))
    X, y = features[rows], label_signs(dataset, fields, everybody[rows])
    cut = {
        (bagging, count): homogeneous_bags(y, count, trial.rng)
        if bagging == "homogeneous"
        else sorted_bags(X, count)
        for bagging, count in product(BAGGINGS, bag_counts)
    }
    released: dict[str, Array] = {"everybody": everybody, "exact": mean_operator(X, y)}
    widest = float(np.max(np.linalg.norm(X, ord=1, axis=1)))
    released["laplace"] = np.stack(
        [MeanOperatorRelease(alpha, "laplace", l1_bound=widest).release(X, y, trial.rng) for alpha in alphas]
    )
    for (bagging, count), bags in cut.items():
        released[f"bags_{bagging}_{count}"] = bags.astype(np.int16)
        released[f"shares_{bagging}_{count}"] = noisy_shares(y, bags, count, alphas, trial.rng)
    return released


def homogeneous_bags(y: Array, count: int, rng: Generator) -> Array:
    """Bags that depend on a record by its label only, E[x | y, bag] = E[x | y]; shares of positives rise along them."""
    tilt = np.linspace(-REACH, REACH, count) / 2
    bags = np.empty(len(y), dtype=int)
    for sign in (-1, 1):
        members = rng.permutation(np.flatnonzero(y == sign))
        borders = np.cumsum(np.exp(sign * tilt)) / np.sum(np.exp(sign * tilt))
        bags[members] = np.searchsorted(borders[:-1], (np.arange(len(members)) + 0.5) / len(members))
    return bags


def sorted_bags(X: Floats, count: int) -> Array:
    """Equal slices along the first principal direction of the features, which breaks homogeneity."""
    centred = X - X.mean(axis=0)
    direction = np.linalg.eigh(centred.T @ centred)[1][:, -1]
    ranks = np.argsort(np.argsort(centred @ direction, kind="stable"), kind="stable")
    bags: Array = ranks * count // len(X)
    return bags


def noisy_shares(y: Array, bags: Array, count: int, alphas: Sequence[float], rng: Generator) -> Floats:
    """Shares of positives by (α, bag), the first row exact. A label changes one count by one, so Lap(1/α) hides it."""
    sizes = np.bincount(bags, minlength=count)
    positives = np.bincount(bags[y > 0], minlength=count)
    noise = np.stack([np.zeros(count), *(rng.laplace(0, 1 / alpha, count) for alpha in alphas)])
    shares: Floats = np.clip((positives + noise) / sizes, 0, 1)
    return shares
