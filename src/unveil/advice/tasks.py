"""What can be learned: made-up data for it, how wrong predictions are, and what can be had at best and at worst."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.random import Generator
from sklearn.linear_model import LogisticRegression

from unveil.advice.worlds import Like, World, draw_classes, draw_sets, draw_targets, draw_text
from unveil.estimators.bags.mmd import MMDClassRatio
from unveil.estimators.counts.count_tagger import CountTagger
from unveil.protocols import PROTOCOLS
from unveil.protocols.base import find_protocol
from unveil.protocols.candidates import Candidate, Learner
from unveil.types import Array


@dataclass(frozen=True)
class Task:
    """Data of a shape (records, features, sets, a public table to draw from), and what is said of predictions."""

    draw: Callable[[int, int, int, Like | None, Generator], Any]
    error: Callable[[Array, Any], float]
    #: Who sees the data without a veil, and who sees nothing.
    clean: Learner
    blind: Learner


def candidates_of(task: str, epsilon: float, d: int) -> Iterator[tuple[str, Candidate]]:
    """All that is tried, with the name of its protocol; yardsticks come last, and have none."""
    for protocol in (known for known in map(find_protocol, PROTOCOLS) if task in known.tasks):
        yield from ((protocol.name, candidate) for candidate in protocol.candidates(epsilon, d, task))
    yield "", Candidate("no veil", _look, (TASKS[task].clean,), level=(inf, 0.0))
    yield "", Candidate("nothing seen", _look, (TASKS[task].blind,), level=(0.0, 0.0))


def _look(world: Any, _: Generator) -> Any:
    return world


def _classify(_: Any, world: World) -> Array:
    if len(np.unique(world.y)) < 2:
        return _take_majority(_, world)
    return np.asarray(LogisticRegression(C=100).fit(world.X, world.y).predict(world.X_test))


def _take_majority(_: Any, world: World) -> Array:
    return np.full(len(world.y_test), round(float(np.mean(world.y))))


def _unexplained(predicted: Array, world: World) -> float:
    """1 − R², at most 10: what is worse is worthless, whatever its size."""
    spread = float(np.sum((world.y_test - world.y_test.mean()) ** 2))
    return min(float(np.sum((predicted - world.y_test) ** 2)) / max(spread, 1e-12), 10.0)


def _regress(_: Any, world: World) -> Array:
    design, test = (np.column_stack([X, np.ones(len(X))]) for X in (world.X, world.X_test))
    return np.asarray(test @ np.linalg.lstsq(design, world.y, rcond=None)[0])


def _take_mean_ratio(_: Any, world: World) -> Array:
    shares = world.y / world.y.sum(axis=1, keepdims=True)
    return np.tile(shares.mean(axis=0), (len(world.X_test), 1))


def _tag(_: Any, world: World) -> Array:
    tagger = CountTagger("supervised", passes=5, random_state=0).fit(world.X, world.y)
    return np.asarray(tagger.predict(world.X_test))


def _take_frequent(_: Any, world: World) -> Array:
    names, counts = np.unique([tag for own in world.y for tag in own], return_counts=True)
    return np.full(len(world.y_test), names[counts.argmax()])


TASKS = {
    "classify": Task(
        lambda n, d, _, like, rng: draw_classes(n, d, like, rng),
        lambda predicted, world: float(np.mean(np.asarray(predicted).astype(np.int64) != world.y_test)),
        Learner("LogisticRegression", _classify),
        Learner("majority", _take_majority),
    ),
    "regress": Task(
        lambda n, d, _, like, rng: draw_targets(n, d, like, rng),
        _unexplained,
        Learner("least squares", _regress),
        Learner("mean", lambda _, world: np.full(len(world.y_test), world.y.mean())),
    ),
    "ratios": Task(
        draw_sets,
        lambda predicted, world: float(np.abs(predicted - world.y_test).sum(axis=1).mean()),
        Learner(
            "MMDClassRatio", lambda _, world: MMDClassRatio(diagonal="auto").fit(world.X, world.y).predict(world.X_test)
        ),
        Learner("mean ratio", _take_mean_ratio),
    ),
    "tags": Task(
        lambda n, _d, _s, _l, rng: draw_text(n, rng),
        lambda predicted, world: float(np.mean(np.asarray(predicted) != np.asarray(world.y_test))),
        Learner("CountTagger, supervised", _tag),
        Learner("most frequent tag", _take_frequent),
    ),
}
