"""Stand-ins for data that nobody may look at: synthetic, or rows drawn from a public table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.random import Generator

from unveil.types import Array, Floats

#: Rows on which errors are measured.
HELD_OUT = 2000
#: Tags and words of a synthetic text, and words of a sentence.
TAGS, WORDS, LENGTH = 10, 2000, 20


@dataclass(frozen=True)
class World:
    """What is public and what is private, to learn from and to test on.

    These are features in [0, 1] and a target of each record; the points of sets, and how many of each class they hold
    (their shares, to test on); or sentences and their tags (the words of all, to test on).
    """

    X: Any
    y: Any
    X_test: Any
    y_test: Any


#: A public table: features in [0, 1], and classes 0 and 1 or a target in [0, 1].
Like = tuple[Array, Array]


def draw_classes(n: int, d: int, like: Like | None, rng: Generator) -> World:
    """Two classes; synthetic ones follow a logistic model in which a few features count most."""

    def label(X: Floats, weights: Floats) -> Array:
        return (12 * (X - 0.5) @ weights + rng.logistic(size=len(X)) > 0).astype(np.int64)

    return _draw_rows(n, d, like, rng, label)


def draw_targets(n: int, d: int, like: Like | None, rng: Generator) -> World:
    """A target in [0, 1]; synthetic ones are linear in the features, with noise of a third of their spread."""

    def label(X: Floats, weights: Floats) -> Array:
        y = 0.5 + (X - 0.5) @ weights + rng.normal(0, 0.1 * np.linalg.norm(weights), len(X))
        return y.clip(0, 1)

    return _draw_rows(n, d, like, rng, label)


def draw_sets(n: int, d: int, sets: int, like: Like | None, rng: Generator) -> World:
    """Two classes whose shares vary from set to set; synthetic points are normal, two deviations apart."""
    size = n // sets
    centre = rng.normal(size=d)
    centre *= 2 / np.linalg.norm(centre)

    def draw(rows: int) -> tuple[Floats, int]:
        positive = int(rng.binomial(rows, rng.random()))
        if like is None:
            points = rng.normal(size=(rows, d)) + np.where(np.arange(rows)[:, None] < positive, centre, 0.0)
            return 0.5 + points / 8, positive
        X, y = like
        classes = [np.flatnonzero(y == label) for label in (1, 0)]
        chosen = [rng.choice(own, k) for own, k in zip(classes, (positive, rows - positive), strict=True)]
        return X[np.concatenate(chosen)], positive

    train, test = [draw(size) for _ in range(sets)], [draw(size) for _ in range(10)]
    counts = np.array([[size - positive, positive] for _, positive in train])
    shares = np.array([[size - positive, positive] for _, positive in test]) / size
    return World([bag for bag, _ in train], counts, [bag for bag, _ in test], shares)


def draw_text(n: int, rng: Generator) -> World:
    """A text of n words: tags follow each other by a chain, words have a favourite tag, and few words are frequent."""
    favourites = rng.integers(0, TAGS, WORDS)
    following = rng.dirichlet(np.full(TAGS, 0.3), TAGS)
    frequency = 1 / np.arange(2, WORDS + 2)
    # Of each tag: how likely each word is. One word in ten stands for another tag than its favourite.
    emission = np.where(favourites[None, :] == np.arange(TAGS)[:, None], frequency, 0.01 * frequency)
    steps, words = np.cumsum(following, axis=1), np.cumsum(emission / emission.sum(axis=1, keepdims=True), axis=1)

    def text(sentences: int) -> tuple[list[list[str]], list[list[str]]]:
        tag = rng.integers(0, TAGS, sentences)
        tags = np.empty((sentences, LENGTH), dtype=np.int64)
        for place in range(LENGTH):
            tag = np.minimum((rng.random(sentences)[:, None] > steps[tag]).sum(axis=1), TAGS - 1)
            tags[:, place] = tag
        seen = np.empty_like(tags)
        for k in range(TAGS):
            mine = tags == k
            seen[mine] = np.minimum(np.searchsorted(words[k], rng.random(int(mine.sum()))), WORDS - 1)
        return [[f"w{w}" for w in row] for row in seen], [[f"t{t}" for t in row] for row in tags]

    sentences, tags = text(max(2, n // LENGTH))
    unseen, truth = text(HELD_OUT // LENGTH)
    return World(sentences, tags, list(chain(*unseen)), list(chain(*truth)))


def _draw_rows(n: int, d: int, like: Like | None, rng: Generator, label: Callable[[Floats, Floats], Array]) -> World:
    """Made up, or rows of a public table, with replacement; those to test on are never drawn to learn from."""
    # Of random sign, the k-th as large as 1/k, with sizes that sum to one.
    sizes = 1 / np.arange(1, d + 1)
    weights = sizes / sizes.sum() * rng.choice([-1.0, 1.0], d)
    if like is None:
        X = rng.random((n, d))
        y, X_test = label(X, weights), rng.random((HELD_OUT, d))
        return World(X, y, X_test, label(X_test, weights))
    X, y = np.asarray(like[0], dtype=float), np.asarray(like[1])
    order = rng.permutation(len(X))
    held = max(1, min(HELD_OUT, len(X) // 4))
    test, train = order[:held], rng.choice(order[held:], n)
    return World(X[train], y[train], X[test], y[test])
