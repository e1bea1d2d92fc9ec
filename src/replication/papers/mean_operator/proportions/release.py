"""The owner of the labels: bags, and the share of positives in each, exact and noisy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product

import numpy as np
from numpy.random import Generator

from replication.arrays import Fields, Key, Released
from replication.common.tasks import signs, training
from replication.papers.mean_operator.proportions.settings import Release
from replication.randomness import Trial
from unveil.mechanisms.mean_operator import MeanOperatorRelease, mean_operator
from unveil.types import Array, Floats

#: The log-odds of the first and the last homogeneous bag, relative to the whole.
REACH = 2.0


def release(fields: Fields, trial: Trial, settings: Release) -> Released:
    """Each record's bag, each bag's proportion at each α, and for comparison the mean operator itself.

    Exact ones stand apart.

    ASSUME: who is in which bag is public, as in all learning from proportions; labels, given the bags, are private.
    """
    X, rows = training(settings.dataset, fields, trial)
    y = signs(settings.dataset, fields)[rows]
    most = max(len(X) // settings.smallest, 2)
    counts = [*(count for count in settings.bag_counts if count < most), most]
    kinds = list(product(BAGGINGS, counts))
    cut = {kind: BAGGINGS[kind[0]](X, y, kind[1], trial.rng_of("bags", *kind)) for kind in kinds}
    widest = float(np.max(np.linalg.norm(X, ord=1, axis=1)))
    mechanisms = [MeanOperatorRelease(alpha, "laplace", l1_bound=widest) for alpha in settings.alphas]
    operators = [mechanism.release(X, y, trial.rng_of(mechanism.alpha)) for mechanism in mechanisms]
    exact: dict[Key, Array] = {("exact", "operators"): mean_operator(X, y)[None]}
    released: dict[Key, Array] = {"operators": np.stack(operators)}
    for (bagging, count), bags in cut.items():
        released["bags", bagging, count] = bags.astype(np.int16)
        shares = noisy_shares(y, bags, count, settings.alphas, partial(trial.rng_of, bagging, count))
        exact["exact", "shares", bagging, count], released["shares", bagging, count] = shares[:1], shares[1:]
    return Released(released, exact)


def homogeneous_bags(X: Floats, y: Array, count: int, rng: Generator) -> Array:
    """Bags that depend on a record by its label only, E[x | y, bag] = E[x | y]; shares of positives rise along them."""
    tilt = np.linspace(-REACH, REACH, count) / 2
    bags = np.empty(len(y), dtype=int)
    for sign in (-1, 1):
        members = rng.permutation(np.flatnonzero(y == sign))
        borders = np.cumsum(np.exp(sign * tilt)) / np.sum(np.exp(sign * tilt))
        bags[members] = np.searchsorted(borders[:-1], (np.arange(len(members)) + 0.5) / len(members))
    return bags


def sorted_bags(X: Floats, y: Array, count: int, rng: Generator) -> Array:
    """Equal slices along the first principal direction of the features, which breaks homogeneity."""
    centred = X - X.mean(axis=0)
    direction = np.linalg.eigh(centred.T @ centred)[1][:, -1]
    ranks = np.argsort(np.argsort(centred @ direction, kind="stable"), kind="stable")
    bags: Array = ranks * count // len(X)
    return bags


BAGGINGS: Mapping[str, Callable[[Floats, Array, int, Generator], Array]] = {
    "homogeneous": homogeneous_bags,
    "sorted": sorted_bags,
}


def noisy_shares(
    y: Array, bags: Array, count: int, alphas: Sequence[float], rng_of: Callable[[float], Generator]
) -> Floats:
    """Shares of positives by (α, bag), the first row exact. A label changes one count by one, so Lap(1/α) hides it."""
    sizes = np.bincount(bags, minlength=count)
    positives = np.bincount(bags[y > 0], minlength=count)
    noise = np.stack([np.zeros(count), *(rng_of(alpha).laplace(0, 1 / alpha, count) for alpha in alphas)])
    shares: Floats = np.clip((positives + noise) / sizes, 0, 1)
    return shares
