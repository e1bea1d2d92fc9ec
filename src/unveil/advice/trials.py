"""What is tried for each task: the veils, the estimators that learn through each, and how wrong they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import exp, inf
from typing import Any

import numpy as np
from numpy.random import Generator
from sklearn.linear_model import LogisticRegression

from unveil.advice.worlds import Rows, Sets, Text
from unveil.estimators.bags.mmd import MMDClassRatio
from unveil.estimators.bags.set_em import SetIdEM
from unveil.estimators.bags.set_logistic import SetIdLogistic
from unveil.estimators.counts.count_tagger import CountTagger
from unveil.estimators.moments.regression import MomentRegression
from unveil.estimators.spread.logistic_regression import SpreadLogisticRegression
from unveil.estimators.statistics.classifier import MeanOperatorClassifier
from unveil.mechanisms.counts import GaussianCounts
from unveil.mechanisms.exact_operator import GeometricMeanOperator
from unveil.mechanisms.exact_products import ExactProducts
from unveil.mechanisms.exact_sums import GeometricCounts
from unveil.mechanisms.noisy_records import NoisyRecords
from unveil.mechanisms.per_value import PerValueRelease
from unveil.mechanisms.regions import RegionCounts
from unveil.protocols.base import Release
from unveil.types import Array

#: The δ of Gaussian noise on counts.
DELTA = 1e-6


@dataclass(frozen=True)
class Learner:
    """One estimator: how wrong it is on a release of a world, and what the command calls it."""

    name: str
    error: Callable[[Any, Any], float]
    settings: tuple[str, ...] = ()
    #: It takes what was released for the data themselves.
    ignores: bool = False


@dataclass(frozen=True)
class Trial:
    """One veil and all that learns through it; `publish` draws noise by a numpy generator."""

    mechanism: str
    publish: Callable[[Any, Generator], Any]
    learners: tuple[Learner, ...]
    level: Callable[[Any], tuple[float, float]]
    #: Of `unveil release`, where the mechanism is fit for real data.
    options: str | None = None
    #: It sees the data without a veil, or nothing of them: what can be had at best and at worst.
    bound: bool = False


def classify(epsilon: float, d: int) -> Iterator[Trial]:
    """Private labels of two classes; with noisy records also private features."""
    operator = GeometricMeanOperator(epsilon, testing=True)
    yield Trial(
        "GeometricMeanOperator",
        lambda world, rng: operator.publish((world.X, world.y), rng, intercept=True, classes=(0, 1)),
        tuple(_mean_operator(l2) for l2 in (None, 1e-3, 1e-2, 1e-1)),
        _level,
        f"mean-operator DATA --epsilon {epsilon:g} --label LABEL",
    )
    odds = exp(epsilon / (d + 1))
    records = NoisyRecords(1 / (1 + odds), 1 / (1 + odds), testing=True)
    spread: dict[str, Any] = {"prior": "learned", "rate": 5.0, "iterations": 100, "fit_intercept": True}
    yield Trial(
        "NoisyRecords",
        lambda world, rng: records.publish((np.rint(world.X), world.y), rng),
        (
            Learner(
                "SpreadLogisticRegression",
                lambda release, world: _wrong(
                    SpreadLogisticRegression(random_state=0, **spread).fit(release).predict(np.rint(world.X_test)),
                    world,
                ),
                tuple(f"{name}={str(value).lower()}" for name, value in spread.items()),
            ),
            Learner("LogisticRegression", _naive_records, ignores=True),
        ),
        _level,
        f"records DATA --epsilon {epsilon:g} --label LABEL --schema SCHEMA",
    )
    yield Trial("no veil", _clear, (Learner("LogisticRegression", _clean_classes),), _open, bound=True)
    yield Trial("nothing seen", _clear, (Learner("majority", _majority),), _closed, bound=True)


def regress(epsilon: float, d: int) -> Iterator[Trial]:
    """Private features and target."""
    learners = (_regression("truncated"), _regression("ridge"), _regression("truncated", noise=0.0))
    exact = ExactProducts(epsilon, testing=True)
    yield Trial(
        "ExactProducts",
        lambda world, rng: exact.publish((world.X, world.y), rng, intercept=True),
        learners,
        _level,
        f"products DATA --epsilon {epsilon:g} --label LABEL --schema SCHEMA",
    )
    statistics = (d + 1) * (d + 2) // 2 + d + 1
    bits = PerValueRelease(2 * epsilon, delta_bar=statistics)
    yield Trial(
        "PerValueRelease", lambda world, rng: bits.publish((world.X, world.y), rng, intercept=True), learners, _level
    )
    yield Trial("no veil", _clear, (Learner("least squares", _least_squares),), _open, bound=True)
    yield Trial("nothing seen", _clear, (Learner("mean", _mean),), _closed, bound=True)


def ratios(epsilon: float, d: int) -> Iterator[Trial]:  # noqa: ARG001 - as its siblings
    """Private classes of sets of records."""
    learners = (
        _ratio(MMDClassRatio, diagonal="auto"),
        _ratio(MMDClassRatio),
        _ratio(SetIdEM),
        _ratio(SetIdLogistic),
        Learner("MMDClassRatio, noise ignored", _naive_ratios, ignores=True),
    )
    line = f"ratios DATA --epsilon {epsilon:g} --label LABEL --sets SETS"
    for mechanism, options in (
        (GeometricCounts(epsilon, testing=True), line),
        (GaussianCounts(epsilon, DELTA, exact=True, testing=True), f"{line} --delta {DELTA:g}"),
    ):
        yield Trial(type(mechanism).__name__, _published_counts(mechanism), learners, _level, options)
    yield Trial("no veil", _clear, (Learner("MMDClassRatio", _clean_ratios),), _open, bound=True)
    yield Trial("nothing seen", _clear, (Learner("mean ratio", _mean_ratio),), _closed, bound=True)


def tags(epsilon: float, d: int) -> Iterator[Trial]:  # noqa: ARG001 - as its siblings
    """Private tags of words; no privacy is promised, whatever ε is."""
    for window in (2, 5, 10, None):
        size = "sentence" if window is None else f"{window} words"
        yield Trial(
            f"RegionCounts, {size}",
            _counted(window),
            (_tagger("moments"), _tagger("marginal")),
            _level,
            "tags DATA --label TAG --features WORD --sets SENTENCE" + (f" --window {window}" if window else ""),
        )
    yield Trial("no veil", _clear, (Learner("CountTagger, supervised", _supervised),), _open, bound=True)
    yield Trial("nothing seen", _clear, (Learner("most frequent tag", _frequent),), _closed, bound=True)


def _level(release: Release) -> tuple[float, float]:
    return release.exact_epsilon, release.exact_delta


def _open(_: Any) -> tuple[float, float]:
    return inf, 0.0


def _closed(_: Any) -> tuple[float, float]:
    return 0.0, 0.0


def _clear(world: Any, _: Generator) -> Any:
    return world


def _wrong(predicted: Array, world: Rows) -> float:
    return float(np.mean(np.asarray(predicted).astype(np.int64) != world.y_test))


def _mean_operator(l2: float | None) -> Learner:
    def error(release: Release, world: Rows) -> float:
        return _wrong(MeanOperatorClassifier(l2=l2).fit(release, world.X).predict(world.X_test), world)

    return Learner("MeanOperatorClassifier", error, () if l2 is None else (f"l2={l2:g}",))


def _naive_records(release: Release, world: Rows) -> float:
    features, labels = release.arrays["features"], release.arrays["labels"]
    if len(np.unique(labels)) < 2:
        return _wrong(np.full(len(world.y_test), labels[0]), world)
    return _wrong(LogisticRegression().fit(features, labels).predict(np.rint(world.X_test)), world)


def _clean_classes(_: Any, world: Rows) -> float:
    if len(np.unique(world.y)) < 2:
        return _majority(_, world)
    return _wrong(LogisticRegression(C=100).fit(world.X, world.y).predict(world.X_test), world)


def _majority(_: Any, world: Rows) -> float:
    return _wrong(np.full(len(world.y_test), round(float(np.mean(world.y)))), world)


def _regression(solver: str, noise: float | None = None) -> Learner:
    def error(release: Release, world: Rows) -> float:
        return _unexplained(MomentRegression(solver, noise).fit(release).predict(world.X_test), world)

    settings = (f"solver={solver}",) if noise is None else (f"noise={noise:g}",)
    return Learner("MomentRegression", error, settings, ignores=noise is not None)


def _unexplained(predicted: Array, world: Rows) -> float:
    """1 − R², at most 10: what is worse is worthless, whatever its size."""
    spread = float(np.sum((world.y_test - world.y_test.mean()) ** 2))
    return min(float(np.sum((predicted - world.y_test) ** 2)) / max(spread, 1e-12), 10.0)


def _least_squares(_: Any, world: Rows) -> float:
    design, test = (np.column_stack([X, np.ones(len(X))]) for X in (world.X, world.X_test))
    return _unexplained(test @ np.linalg.lstsq(design, world.y, rcond=None)[0], world)


def _mean(_: Any, world: Rows) -> float:
    return _unexplained(np.full(len(world.y_test), world.y.mean()), world)


def _published_counts(mechanism: Any) -> Callable[[Sets, Generator], Release]:
    def publish(world: Sets, rng: Generator) -> Release:
        released: Release = mechanism.publish(world.counts, rng)
        return released

    return publish


def _ratio(kind: Any, **settings: Any) -> Learner:
    def error(release: Release, world: Sets) -> float:
        return _distance(kind(**settings).fit(release, world.bags).predict(world.bags_test), world)

    return Learner(kind.__name__, error, tuple(f"{name}={value}" for name, value in settings.items()))


def _naive_ratios(release: Release, world: Sets) -> float:
    model = MMDClassRatio(diagonal="auto").fit(world.bags, release.arrays["proportions"])
    return _distance(model.predict(world.bags_test), world)


def _clean_ratios(_: Any, world: Sets) -> float:
    return _distance(MMDClassRatio(diagonal="auto").fit(world.bags, world.counts).predict(world.bags_test), world)


def _mean_ratio(_: Any, world: Sets) -> float:
    shares = world.counts / world.counts.sum(axis=1, keepdims=True)
    return _distance(np.tile(shares.mean(axis=0), (len(world.bags_test), 1)), world)


def _distance(predicted: Array, world: Sets) -> float:
    """The mean L1 distance of class ratios."""
    return float(np.abs(predicted - world.shares_test).sum(axis=1).mean())


def _counted(window: int | None) -> Callable[[Text, Generator], Release]:
    return lambda world, rng: RegionCounts(window).publish((world.sentences, world.tags), rng)


def _tagger(method: str) -> Learner:
    def error(release: Release, world: Text) -> float:
        tagger = CountTagger(method, passes=5, random_state=0).fit(release, world.sentences)
        return _mistagged(tagger.predict(world.words_test), world)

    return Learner("CountTagger", error, (f"method={method}", "passes=5"))


def _supervised(_: Any, world: Text) -> float:
    tagger = CountTagger("supervised", passes=5, random_state=0).fit(world.sentences, world.tags)
    return _mistagged(tagger.predict(world.words_test), world)


def _frequent(_: Any, world: Text) -> float:
    names, counts = np.unique([tag for own in world.tags for tag in own], return_counts=True)
    return _mistagged(np.full(len(world.tags_test), names[counts.argmax()]), world)


def _mistagged(predicted: Array, world: Text) -> float:
    return float(np.mean(np.asarray(predicted) != np.asarray(world.tags_test)))


@dataclass(frozen=True)
class Task:
    """What can be asked for: its veils, what is measured, and which difference would matter."""

    trials: Callable[[float, int], Iterator[Trial]]
    measure: str
    matters: float
    protocols: tuple[str, ...] = field(default=())


TASKS = {
    "classify": Task(classify, "share of wrong classes", 0.01),
    "regress": Task(regress, "1 - R²", 0.01),
    "ratios": Task(ratios, "L1 distance of class ratios", 0.01),
    "tags": Task(tags, "share of wrong tags", 0.01),
}
