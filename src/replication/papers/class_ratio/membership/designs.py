"""The sets whose membership is published: built from labels, at random, by a public feature, or by randomised response.

Owner and referee draw them alike, from the randomness they share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf, log
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from replication.papers.class_ratio.membership.settings import Own, Release
from replication.papers.class_ratio.sets import by_frequency, mixture_counts, skewed_counts
from unveil.errors import require
from unveil.types import Array


class Drawn(NamedTuple):
    """One design: members of training, validation and test sets, and what the choice of sets alone gives away.

    `epsilon` is the level of a random choice with these shares, `left` what remains of a total for the proportions, and
    `shares` the design's own proportions, where they are published in the place of the true ones.
    """

    design: str
    rho: float
    epsilon: float
    total: float
    split: float
    left: float
    train: list[Array]
    validation: list[Array]
    tests: list[Array]
    shares: Array | None = None


def level_of(rho: float, classes: int) -> float:
    """ε of choosing one's set at random so that every other class has the share ρ: the log of the chances' ratio."""
    return log((1.0 - (classes - 1) * rho) / rho)


def share_at(epsilon: float, classes: int) -> float:
    """The share ρ that randomised response of level ε leaves every other class."""
    return float(1.0 / (np.exp(epsilon) + classes - 1))


def mixtures(own: Own) -> Array:
    """Counts of the test sets: the most skewed mixture, the one in the middle and the even one."""
    return np.stack([mixture_counts(own.classes, x, own.test) for x in np.linspace(0.0, 1.0 / own.classes, 3)])


def counts_of(labels: Array, classes: Array, sets: list[Array]) -> Array:
    """Members of every class in every set."""
    return np.stack([(labels[members][:, None] == classes).sum(axis=0) for members in sets])


def designs(settings: Release, own: Own, labels: Array, inputs: Array, rng: Generator) -> Iterator[Drawn]:
    """Every design of one data set."""
    classes = by_frequency(labels, own.classes)
    pools = [rng.permutation(np.flatnonzero(labels == name)) for name in classes]
    held = [pool[: own.test] for pool in pools]  # for all test sets
    tests = [np.concatenate([pool[:n] for pool, n in zip(held, counts, strict=True)]) for counts in mixtures(own)]
    rest = [pool[own.test :] for pool in pools]
    require(min(map(len, rest)) >= 2 * own.size, f"sets: too few members of a class for two rounds of {own.size}")
    rounds = [[pool[k * own.size : (k + 1) * own.size] for pool in rest] for k in range(2)]
    for rho in own.rhos:
        sets = [_by_label(skewed_counts(own.classes, rho, own.size), part) for part in rounds]
        yield Drawn("by_label", rho, level_of(rho, own.classes), inf, 1.0, settings.epsilon, sets[0], sets[1], tests)
    order = _principal(inputs, rng)
    everyone = [rng.permutation(np.concatenate(part)) for part in rounds]
    for name, ordered in (
        ("label_free", everyone),
        ("label_free_feature", [m[np.argsort(order(m))] for m in everyone]),
    ):
        sets = [np.array_split(members, own.classes) for members in ordered]
        yield Drawn(name, np.nan, 0.0, inf, 0.0, settings.epsilon, sets[0], sets[1], tests)
    for total in settings.totals:
        for split in settings.splits:
            rho = share_at(split * total, own.classes)
            sets = [_choose_sets(rho, part, rng) for part in rounds]
            shares = np.full((own.classes, own.classes), rho) + np.eye(own.classes) * (1 - own.classes * rho)
            left = (1.0 - split) * total
            known = shares if left <= 0 else None
            yield Drawn("randomised", rho, split * total, total, split, left, sets[0], sets[1], tests, known)


def _by_label(counts: Array, part: list[Array]) -> list[Array]:
    """Sets with these counts, (sets, classes), from members of each class."""
    cut = [np.split(pool, np.cumsum(counts[:, k]))[:-1] for k, pool in enumerate(part)]
    return [np.sort(np.concatenate([pieces[s] for pieces in cut])) for s in range(len(counts))]


def _choose_sets(rho: float, part: list[Array], rng: Generator) -> list[Array]:
    """Everyone chooses the set of the own class, or any other with the chance ρ each."""
    sets = len(part)
    chances = np.full((sets, sets), rho) + np.eye(sets) * (1.0 - sets * rho)
    where = [rng.choice(sets, size=len(pool), p=chances[k]) for k, pool in enumerate(part)]
    return [
        np.sort(np.concatenate([pool[own == s] for pool, own in zip(part, where, strict=True)])) for s in range(sets)
    ]


def _principal(inputs: Array, rng: Generator) -> Callable[[Array], Array]:
    """The first principal component of members' features, from a thousand points."""
    rows = inputs.reshape(len(inputs), -1)
    some = rows[rng.choice(len(inputs), size=min(1000, len(inputs)), replace=False)].astype(float)
    direction = np.linalg.svd(some - some.mean(axis=0), full_matrices=False)[2][0]
    return lambda members: np.asarray(rows[members].astype(float) @ direction)
