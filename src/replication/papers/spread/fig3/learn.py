"""Figure 3, the learner: every method on the released digits; the arm that peeks also has the clean ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.random import Generator

from replication.arrays import Fields, Key, Named
from replication.common.margin_losses import LOSSES
from replication.common.ridge_paths import fit_tuned
from replication.common.tuning import Tuning
from replication.papers.spread.digits import STATES, Part, Path, drawn, named, received
from replication.papers.spread.fig3.paths import tuned_path
from replication.papers.spread.fig3.settings import Learn, Method, Protocol
from replication.papers.spread.settings import Ascent
from replication.papers.spread.training import PLAIN, followed, trained
from replication.randomness import Trial
from unveil.errors import UnveilError
from unveil.estimators.spread.noise_parameters import debiased_mean, flip_rates
from unveil.estimators.spread.priors import pixel_marginals
from unveil.estimators.statistics.risk import Design
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
    clean = drawn(public, trial, settings)[0] if "mnist" in public else None
    learned: dict[Key, Array] = {}
    for method in settings.methods:
        for i, p_flip in enumerate(settings.p_flips):
            seen = Seen(received(released["noisy"], i), p_flip, clean)
            path = METHODS[method](seen, settings, trial.rng)
            case = settings.protocol, method, i
            learned |= named(case, path[:2])
            learned["ended", *case] = np.array(path[2] if len(path) > 2 else 0)
    return learned


def climbed(seen: Part, settings: Learn, rng: Generator, **options: Any) -> Climbed:
    """The ascent of the protocol, sampling z = θᵀx; the paper's ends when the weights hardly move any more."""
    if settings.protocol == "steps":
        return *trained(seen, settings, rng, **{"level": "z", **options}), max(settings.iterations)
    until = Ascent(rate=settings.rate, iterations=(settings.most,))
    paper = {"level": "z", "start": "random", "tol": settings.moved}
    return followed(seen, until, rng, **{**paper, **options})


def plain_on_clean(seen: Seen, settings: Learn, rng: Generator) -> Climbed:
    """Logistic regression on the clean digits: a cheat."""
    return climbed(seen.clean, settings, rng, **PLAIN)


def plain_on_noisy(seen: Seen, settings: Learn, rng: Generator) -> Climbed:
    """Logistic regression as if nothing were flipped."""
    return climbed(seen.noisy, settings, rng, **PLAIN)


def spread(seen: Seen, settings: Learn, rng: Generator, **options: Any) -> Climbed:
    """The paper's estimator, with a flat prior unless `options` say otherwise."""
    flips = {"label_flip": seen.p_flip, "input_noise": seen.p_flip}
    return climbed(seen.noisy, settings, rng, samples=settings.samples, **flips, **options)


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
    weights = TUNED[settings.protocol](centred, labels, settings)
    # Clean test images have another mean than the noisy ones; the flips are known, so it can be worked out.
    return weights, -weights @ debiased_mean(seen.noisy.images, flip_rates(seen.p_flip, STATES))


def tuned_steps(inputs: Floats, labels: Array, settings: Learn) -> Floats:
    """So many gradient steps, at each checkpoint with the penalty that was best there."""
    return tuned_path(inputs, labels, settings.penalties, settings.rate, settings.iterations, settings.folds)[0]


def tuned_optimum(inputs: Floats, labels: Array, settings: Learn) -> Floats:
    """The penalised optimum itself; λ‖θ‖² is half of the penalty."""
    l2s = tuple(penalty / 2 for penalty in settings.penalties)
    tuning = Tuning(l2s=l2s, folds=settings.folds, samples=1, tolerance=1e-5)
    signs = np.where(labels > 0, 1, -1)[None]
    return fit_tuned(Design(inputs), signs, np.zeros(1), LOSSES["naive"](1), tuning).theta


TUNED: dict[Protocol, Callable[[Floats, Array, Learn], Floats]] = {"steps": tuned_steps, "converged": tuned_optimum}


def class_means(seen: Seen, settings: Learn, rng: Generator) -> Path:
    """The difference of the noisy classes' means, the threshold half-way between their debiased means."""
    rates = flip_rates(seen.p_flip, STATES)
    zero, one = (seen.noisy.images[seen.noisy.labels == label] for label in (0, 1))
    direction = one.mean(axis=0, dtype=float) - zero.mean(axis=0, dtype=float)
    middle = (debiased_mean(zero, rates) + debiased_mean(one, rates)) / 2
    points = len(settings.iterations) if settings.protocol == "steps" else 1
    return np.tile(direction, (points, 1)), np.full(points, -direction @ middle)


METHODS: dict[Method, Learner] = {
    "clean": plain_on_clean,
    "noisy": plain_on_noisy,
    "spread_flat": spread,
    "spread_learned": spread_learned,
    "spread_true": spread_true,
    "spread_centred": spread_centred,
    "noisy_l2_centred": noisy_l2_centred,
    "class_means": class_means,
}
