"""The sets of section 4: training and validation sets of skewed classes, and test sets of varying mixtures.

Owner and referee draw them alike, from the randomness they share. Indices of members leave the owner, labels do not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from unveil.errors import require
from unveil.types import Array


def skewed_counts(classes: int, rho: float, size: int) -> Array:
    """One set a class, whose other classes have ⌊ρ·size⌉ members each: (sets, classes) counts (section 4.2)."""
    minority = round(rho * size)
    require(minority * (classes - 1) <= size, f"rho = {rho:g} leaves no room for {classes} classes")
    counts = np.full((classes, classes), minority)
    np.fill_diagonal(counts, size - minority * (classes - 1))
    return counts


def mixture_counts(classes: int, share: float, size: int) -> Array:
    """The test mixture (x, …, x, 1 − (c − 1)x) as counts."""
    return np.asarray(skewed_counts(classes, share, size)[-1])


def positive_counts(fractions: Sequence[float], size: int) -> Array:
    """Test sets of two classes by the share of the second, as counts."""
    positive = np.round(np.asarray(fractions, dtype=float) * size).astype(int)
    require(((positive >= 0) & (positive <= size)).all(), "fractions must lie between 0 and 1")
    return np.column_stack([size - positive, positive])


def by_frequency(labels: Array, classes: int) -> Array:
    """The classes from rare to frequent, checked to be as many as expected.

    ASSUME: the last class of the paper's test mixtures, of which x = 0 needs a full set, is the largest.
    """
    names, counts = np.unique(labels, return_counts=True)
    require(
        len(names) == classes, f"sets: {classes} classes are configured, but the labels have {len(names)}"
    )
    return np.asarray(names[np.argsort(counts, kind="stable")])


@dataclass(frozen=True)
class Sets:
    """Members of training and validation sets, one set a row, and of the test sets.

    `tests[t, k]` says whether the k-th point of the pool belongs to test set t: test sets may share points, so that
    a learner handles each point once. All members stand in the order of the data, which says nothing of their class.
    """

    train: Array
    validation: Array
    pool: Array
    tests: Array

    def arrays(self) -> dict[str, Array]:
        """What leaves the owner about who is where."""
        return {"train": self.train, "validation": self.validation, "pool": self.pool, "tests": self.tests}


def draw_sets(
    labels: Array, classes: Array, train: Array, validation: Array, tests: Array, rng: Generator
) -> Sets:
    """Sets with the given (sets, classes) counts, every class without replacement.

    Training and validation sets are disjoint from each other and from all test sets, which are drawn independently.
    """
    kept = np.concatenate([train, validation])
    members: list[list[Array]] = []
    for k, name in enumerate(classes):
        own = rng.permutation(np.flatnonzero(labels == name))
        needed = int(kept[:, k].sum() + tests[:, k].max())
        require(
            len(own) >= needed,
            f"class {name} has {len(own)} members, but the sets need {needed}: configure smaller sets",
        )
        *parts, rest = np.split(own, np.cumsum(kept[:, k]))
        members.append([*parts, *(rng.permutation(rest)[:count] for count in tests[:, k])])
    together = [np.sort(np.concatenate([part[s] for part in members])) for s in range(len(kept) + len(tests))]
    tested = together[len(kept) :]
    pool = np.unique(np.concatenate(tested))
    return Sets(
        np.stack(together[: len(train)]).astype(np.int32),
        np.stack(together[len(train) : len(kept)]).astype(np.int32),
        pool.astype(np.int32),
        np.stack([np.isin(pool, one) for one in tested]),
    )


@dataclass(frozen=True)
class Sizes:
    """Number of classes and members of a set, as configured for one data set."""

    classes: int
    train: int
    validation: int
    test: int

    @classmethod
    def of(cls, settings: Mapping[str, Any], dataset: str) -> Sizes:
        """The entry of `dataset` in the setting `sets`."""
        require(dataset in settings, f"sets: there is no entry for '{dataset}'")
        entry = settings[dataset]
        require(
            set(entry) == set(cls.__annotations__),
            f"sets.{dataset}: must name {', '.join(cls.__annotations__)}",
        )
        return cls(**entry)


def shares_of(counts: Array) -> Array:
    """Counts as proportions, set by set."""
    return np.asarray(counts / counts.sum(axis=-1, keepdims=True))


def mixtures(classes: int, steps: int, size: int) -> Array:
    """The test mixtures of figure 3: x in `steps` even steps from 0 to 1/c, as counts."""
    require(steps >= 2, "steps must be at least 2")
    return np.stack([mixture_counts(classes, x, size) for x in mixture_shares(classes, steps)])


def mixture_shares(classes: int, steps: int) -> Sequence[float]:
    """The x of `mixtures`."""
    return [float(x) for x in np.linspace(0.0, 1.0 / classes, steps)]


def points_of(inputs: Array, members: Array) -> Array:
    """The feature vectors of members in float32; pixels go from 0 to 1."""
    chosen = np.asarray(inputs[members])
    if chosen.dtype == np.uint8:
        return (chosen.reshape(*members.shape, -1) / np.float32(255)).astype(np.float32)
    return chosen.astype(np.float32)
