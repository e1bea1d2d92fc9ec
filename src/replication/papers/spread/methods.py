"""The learners that figures compare: each from noisy digits to weights at the checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.random import Generator

from unveil.estimators.spread.logistic import SpreadLogisticRegression
from unveil.estimators.spread.logistic_paths import tuned_path
from unveil.estimators.spread.noise_parameters import debiased_mean, flip_rates
from unveil.types import Array, Floats

STATES = 256


@dataclass(frozen=True)
class Schedule:
    """How every method ascends: `rate` on the mean gradient, weights kept after each of `iterations`."""

    rate: float
    iterations: Sequence[int]
    samples: int
    penalties: Sequence[float]
    folds: int


@dataclass(frozen=True)
class Seen:
    """What a learner has: images in 256 states, labels 0 and 1, the flips; for a cheat, the prior."""

    images: Array
    labels: Array
    p_flip: float
    prior: Floats | None = None


#: Weights (checkpoints, d) in pixels scaled to [0, 1], and intercepts (checkpoints,).
Path: TypeAlias = tuple[Floats, Floats]
Method: TypeAlias = Callable[[Seen, Schedule, Generator], Path]


def _spread(seen: Seen, schedule: Schedule, rng: Generator, p_flip: float, **options: Any) -> Path:
    model = SpreadLogisticRegression(
        p_flip,
        p_flip,
        rate=schedule.rate,
        iterations=max(schedule.iterations),
        checkpoints=schedule.iterations,
        random_state=rng,
        **options,
    ).fit(seen.images, seen.labels)
    return model.coef_path_, model.intercept_path_


def plain(seen: Seen, schedule: Schedule, rng: Generator) -> Path:
    """Logistic regression as if nothing were flipped: without noise the samples are the data."""
    return _spread(seen, schedule, rng, 0.0, samples=1, level="z", labels="summed")


def spread_flat(seen: Seen, schedule: Schedule, rng: Generator) -> Path:
    """The paper's estimator with a flat prior."""
    return _spread(seen, schedule, rng, seen.p_flip, prior="flat", samples=schedule.samples)


def spread_learned(seen: Seen, schedule: Schedule, rng: Generator) -> Path:
    """The paper's estimator, learning the prior by EM."""
    return _spread(seen, schedule, rng, seen.p_flip, prior="learned", samples=schedule.samples)


def spread_true(seen: Seen, schedule: Schedule, rng: Generator) -> Path:
    """The paper's estimator with the clean training images' own pixel marginals as its prior: a cheat."""
    return _spread(seen, schedule, rng, seen.p_flip, prior=seen.prior, samples=schedule.samples)


def spread_centred(seen: Seen, schedule: Schedule, rng: Generator) -> Path:
    """The flat-prior estimator on inputs less their debiased mean."""
    return _spread(seen, schedule, rng, seen.p_flip, prior="flat", samples=schedule.samples, centre=True)


def noisy_l2_centred(seen: Seen, schedule: Schedule, rng: Generator) -> Path:
    """Plain regression on centred noisy images, the penalty cross-validated on the noisy data alone."""
    noisy = (seen.images / (STATES - 1)).astype(np.float32)
    centred = noisy - noisy.mean(axis=0)
    weights, _ = tuned_path(
        centred, seen.labels, schedule.penalties, schedule.rate, schedule.iterations, schedule.folds
    )
    # Clean test images have another mean than the noisy ones; the flips are known, so it can be worked out.
    return weights, -weights @ debiased_mean(seen.images, flip_rates(seen.p_flip, STATES))


def class_means(seen: Seen, schedule: Schedule, rng: Generator) -> Path:
    """The difference of the noisy classes' means, the threshold half-way between their debiased means."""
    rates = flip_rates(seen.p_flip, STATES)
    zero, one = (seen.images[seen.labels == label] for label in (0, 1))
    direction = one.mean(axis=0, dtype=float) - zero.mean(axis=0, dtype=float)
    middle = (debiased_mean(zero, rates) + debiased_mean(one, rates)) / 2
    points = len(schedule.iterations)
    return np.tile(direction, (points, 1)), np.full(points, -direction @ middle)


METHODS: dict[str, Method] = {
    "clean": plain,
    "noisy": plain,
    "spread_flat": spread_flat,
    "spread_learned": spread_learned,
    "spread_true": spread_true,
    "spread_centred": spread_centred,
    "noisy_l2_centred": noisy_l2_centred,
    "class_means": class_means,
}
