"""A small release of every protocol, in shards, and what learns from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng

import unveil
from unveil.protocols.base import Release
from unveil.types import Array

ROWS, SHARDS = 60, 4
RNG = default_rng(0)
X = RNG.uniform(0, 1, (SHARDS * ROWS, 3))
Y = np.where(X @ [1.0, -1.0, 0.4] > 0.2, 1, -1)
BAGS = [RNG.normal(2.0 * k / 7, 1.0, (30, 2)) for k in range(8)]
COUNTS = np.array([[30 - 3 * k, 3 * k] for k in range(1, 9)])
WORDS = [[f"w{i}" for i in RNG.integers(0, 6, 4)] for _ in range(40)]
TAGS = [["AB"[int(word[1]) % 2] for word in words] for words in WORDS]


def part(k: int, size: int = ROWS) -> slice:
    return slice(k * size, (k + 1) * size)


def picked(rows: Any, order: list[int], size: int) -> list[Any]:
    return [row for k in order for row in rows[part(k, size)]]


def mean_operator(k: int, rng: Generator) -> Release:
    return unveil.MeanOperatorRelease(5.0, "laplace", 2.0).publish((X[part(k)], Y[part(k)]), rng)


def products(k: int, rng: Generator) -> Release:
    return unveil.CoordinateRelease(8.0).publish((X[part(k)], X[part(k), 0]), rng)


def bits(k: int, rng: Generator) -> Release:
    return unveil.PerValueRelease(np.inf, 9).publish((X[part(k)], X[part(k), 0]), rng)


def moments(k: int, rng: Generator) -> Release:
    return unveil.ExactMoments(2.0, testing=True).publish((X[part(k)], X[part(k), 0]), rng)


def moments_of_classes(k: int, rng: Generator) -> Release:
    return unveil.ExactMoments(2.0, 1e-6, testing=True).publish((X[part(k)], Y[part(k)]), rng, classes=(-1, 1))


def ratios(k: int, rng: Generator) -> Release:
    return unveil.LaplaceCounts(2.0).publish(COUNTS[part(k, 2)], rng)


def tags(k: int, rng: Generator) -> Release:
    return unveil.RegionCounts(2).publish((WORDS[part(k, 10)], TAGS[part(k, 10)]), rng, tag_set=["A", "B"])


def records(k: int, rng: Generator) -> Release:
    veil = unveil.NoisyRecords(0.1, 0.02, noise="gaussian")
    return veil.publish((X[part(k)], Y[part(k)]), rng, classes=(-1, 1))


#: How a shard is published, and what an estimator learns from the release of shards in some order.
PUBLISHED: dict[str, Callable[[int, Generator], Release]] = {
    "mean-operator": mean_operator,
    "products": products,
    "products by bits": bits,
    "moments": moments,
    "moments of classes": moments_of_classes,
    "ratios": ratios,
    "tags": tags,
    "records": records,
}
LEARNED: dict[str, Callable[[Release, list[int]], Array]] = {
    "mean-operator": lambda release, order: (
        unveil.MeanOperatorClassifier().fit(release, np.array(picked(X, order, ROWS))).coef_
    ),
    "products": lambda release, _: unveil.MomentRegression().fit(release).coef_,
    "products by bits": lambda release, _: unveil.MomentRegression().fit(release).coef_,
    "moments": lambda release, _: unveil.MomentRegression("ridge").fit(release).coef_,
    "moments of classes": lambda release, _: unveil.MomentClassifier("ridge").fit(release).coef_,
    "ratios": lambda release, order: (
        unveil.MMDClassRatio([1.0], diagonal="unbiased").fit(release, picked(BAGS, order, 2)).predict(BAGS)
    ),
    "tags": lambda release, order: (
        unveil.CountTagger(random_state=0, passes=2).fit(release, picked(WORDS, order, 10)).predict_proba(["w1", "w4"])
    ),
    "records": lambda release, _: unveil.SpreadLogisticRegression(l2=0.01).fit(release).coef_,
}


def released(kind: str, seed: int = 1) -> list[Release]:
    rng = default_rng(seed)
    return [PUBLISHED[kind](k, rng) for k in range(SHARDS)]


def merged(parts: list[Release], cuts: list[int]) -> Release:
    """Neighbours put together in the order of `cuts`, whichever tree that is."""
    parts = list(parts)
    for cut in cuts:
        at = cut % (len(parts) - 1)
        parts[at : at + 2] = [parts[at].merge(parts[at + 1])]
    (whole,) = parts
    return whole
