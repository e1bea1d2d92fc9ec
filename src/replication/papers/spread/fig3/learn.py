"""Figure 3, the learner: every method on the released digits; the arm that peeks also has the clean ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.random import Generator

from replication.arrays import Fields, Key, Named
from replication.papers.spread.digits import STATES, Part, Path, draw_digits, name_path, pick_level
from replication.papers.spread.fig3.paths import tuned_path
from replication.papers.spread.fig3.settings import Learn
from replication.papers.spread.settings import Ascent
from replication.papers.spread.training import PLAIN, follow, tune_logistic
from replication.randomness import Trial
from unveil.errors import UnveilError
from unveil.estimators.spread.noise_parameters import debias_mean, flip_rates
from unveil.estimators.spread.priors import pixel_marginals
from unveil.types import Array, Floats


@dataclass(frozen=True)
class Seen:
    """What a learner has: noisy digits, how often they were flipped; for a cheat, the clean ones."""

    noisy: Part
    p_flip: float
    truth: Part | None = None

    @property
    def clean(self) -> Part:
        """The clean digits, for methods that need them."""
        if self.truth is None:
            raise UnveilError("a method that needs the clean digits belongs into an arm that peeks")
        return self.truth


#: Weights, intercepts, and after how many steps the ascent ended; without the last where there is none.
Climbed: TypeAlias = tuple[Floats, Floats, int]
Learner: TypeAlias = Callable[[Seen, Learn, Generator], Path | Climbed]


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """Weights and intercepts of every method at every noise level."""
    clean = draw_digits(public, trial, settings)[0] if "mnist" in public else None
    learned: dict[Key, Array] = {}
    for method in settings.methods:
        for i, p_flip in enumerate(settings.p_flips):
            seen = Seen(pick_level(released["noisy"], i), p_flip, clean)
            path = METHODS[method](seen, settings, trial.rng_of(method, p_flip))
            case = settings.protocol, method, i
            learned |= name_path(case, path[:2])
            learned["ended", *case] = np.array(path[2] if len(path) > 2 else 0)
    return learned


def climb(seen: Part, settings: Learn, rng: Generator, **options: Any) -> Climbed:
    """The ascent of the protocol, sampling z = θᵀx; the paper's ends when the weights hardly move any more."""
    if settings.protocol == "steps":
        return follow(seen, settings, rng, **{"level": "z", **options})
    until = Ascent(rate=settings.rate, iterations=(settings.most,))
    paper = {"level": "z", "start": "random", "tol": settings.moved}
    return follow(seen, until, rng, **{**paper, **options})


def plain_on_clean(seen: Seen, settings: Learn, rng: Generator) -> Climbed:
    """Logistic regression on the clean digits: a cheat."""
    return climb(seen.clean, settings, rng, **PLAIN)


def plain_on_noisy(seen: Seen, settings: Learn, rng: Generator) -> Climbed:
    """Logistic regression as if nothing were flipped."""
    return climb(seen.noisy, settings, rng, **PLAIN)


def spread(seen: Seen, settings: Learn, rng: Generator, **options: Any) -> Climbed:
    """The paper's estimator, with a flat prior unless `options` say otherwise."""
    flips = {"label_flip": seen.p_flip, "input_noise": seen.p_flip}
    return climb(seen.noisy, settings, rng, samples=settings.samples, **flips, **options)


def spread_learned(seen: Seen, settings: Learn, rng: Generator) -> Climbed:
    """The paper's estimator, learning the prior by EM."""
    return spread(seen, settings, rng, prior="learned")


def spread_true(seen: Seen, settings: Learn, rng: Generator) -> Climbed:
    """The paper's estimator with the clean training images' own pixel marginals as its prior: a cheat."""
    return spread(seen, settings, rng, prior=pixel_marginals(seen.clean.images, STATES))


def spread_centred(seen: Seen, settings: Learn, rng: Generator) -> Climbed:
    """The flat-prior estimator on inputs less their debiased mean."""
    return spread(seen, settings, rng, centre=True)


def noisy_l2_centred(seen: Seen, settings: Learn, rng: Generator) -> Path:
    """Plain regression on centred noisy images, the penalty cross-validated on the noisy data alone."""
    noisy = (seen.noisy.images / (STATES - 1)).astype(np.float32)
    centred, labels = noisy - noisy.mean(axis=0), seen.noisy.labels
    if settings.protocol == "steps":  # at each checkpoint with the penalty that was best there
        path = settings.penalties, settings.rate, settings.iterations, settings.folds
        weights = tuned_path(centred, labels, *path)[0]
    else:  # the penalised optimum itself; λ‖θ‖² is half of the penalty
        weights = tune_logistic(centred, labels, [penalty / 2 for penalty in settings.penalties], settings.folds)
    # Clean test images have another mean than the noisy ones; the flips are known, so it can be worked out.
    return weights, -weights @ debias_mean(seen.noisy.images, flip_rates(seen.p_flip, STATES))


def class_means(seen: Seen, settings: Learn, rng: Generator) -> Path:
    """The difference of the noisy classes' means, the threshold half-way between their debiased means."""
    rates = flip_rates(seen.p_flip, STATES)
    zero, one = (seen.noisy.images[seen.noisy.labels == label] for label in (0, 1))
    direction = one.mean(axis=0, dtype=float) - zero.mean(axis=0, dtype=float)
    middle = (debias_mean(zero, rates) + debias_mean(one, rates)) / 2
    points = len(settings.iterations) if settings.protocol == "steps" else 1
    return np.tile(direction, (points, 1)), np.full(points, -direction @ middle)


METHODS: dict[str, Learner] = {
    "clean": plain_on_clean,
    "noisy": plain_on_noisy,
    "spread_flat": spread,
    "spread_learned": spread_learned,
    "spread_true": spread_true,
    "spread_centred": spread_centred,
    "noisy_l2_centred": noisy_l2_centred,
    "class_means": class_means,
}
