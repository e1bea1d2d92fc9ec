"""The owner: noisy mean operators, flipped labels, and models learnt by the owner."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import TypeAlias

import numpy as np
from numpy.random import Generator

from replication.arrays import Fields, Key, Released
from replication.common.tasks import signs, stack, training
from replication.papers.mean_operator.perturbation import ObjectivePerturbation, OutputPerturbation
from replication.papers.mean_operator.release.settings import Release
from replication.papers.mean_operator.rules import MINIMISED, owners_l2
from replication.randomness import Trial
from unveil.estimators.statistics.losses import linear_odd_loss
from unveil.estimators.statistics.risk import Design, minimise_statistic
from unveil.mechanisms.label_perturbation import LabelResponse
from unveil.mechanisms.mean_operator import NOISES, MeanOperatorRelease, mean_operator
from unveil.types import Array, Floats

#: Randomness by what it is for.
Draws: TypeAlias = Callable[..., Generator]


def release(fields: Fields, trial: Trial, settings: Release) -> Released:
    """For each size: μ, noisy μ at each α, flipped labels, a noisy model and a noisy objective for each loss and λ."""
    X, rows = training(settings.dataset, fields, trial, shuffled=bool(settings.sizes))
    y = signs(settings.dataset, fields)[rows]
    sizes = settings.sizes or (len(X),)
    parts = stack([_release_size(X[:m], y[:m], len(X), partial(trial.rng_of, m), settings) for m in sizes])
    return Released.divided(parts, lambda name: name == ("statistic", "none"))


def _release_size(X: Floats, y: Array, length: int, rng_of: Draws, settings: Release) -> dict[Key, Array]:
    """ASSUME: the features are public, so the largest ‖x‖₁ among them is; the right Laplace scale uses it."""
    m = len(X)
    widest = {"laplace": float(np.max(np.linalg.norm(X, ord=1, axis=1)))}
    mu = mean_operator(X, y)
    noisy: dict[Key, Array] = {}
    for noise in NOISES:
        veils = [MeanOperatorRelease(alpha, noise, l1_bound=widest.get(noise)) for alpha in settings.alphas]
        noisy["statistic", noise] = np.stack([veil.release(X, y, rng_of(noise, veil.alpha)) for veil in veils])
        noisy["scale", noise] = np.array([veil.scale(*X.shape) for veil in veils])
    flipped = np.zeros((len(settings.alphas), length), dtype=np.int8)
    for labels, alpha in zip(flipped, settings.alphas, strict=True):
        labels[:m] = LabelResponse(alpha).release(y, rng_of("flipped", alpha))
    models = _models(Design(X), mu, rng_of, settings)
    return {("statistic", "none"): mu[None], **noisy, "flipped": flipped, **models, "m": np.array(m)}


def _models(design: Design, mu: Floats, rng_of: Draws, settings: Release) -> dict[Key, Array]:
    """What the peers release by (α, loss, λ fixed or public): a noisy minimiser; a noisy objective's statistic and λ.

    ASSUME: objective perturbation hands out its linear term, from which (and public data) the minimiser follows.
    """
    m, d = design.features.shape
    shape = (len(settings.alphas), len(settings.losses), 2)
    output, objective = np.empty((*shape, d)), np.full((*shape, d), np.nan)
    asked = {kind: np.empty(shape) for kind in MINIMISED}
    ridge, scale = np.full(shape, np.nan), np.full(shape, np.nan)
    clean: dict[tuple[str, float], Floats] = {}  # the fixed λ has the same minimiser at every level
    for (i, alpha), (j, name) in product(enumerate(settings.alphas), enumerate(settings.losses)):
        loss = linear_odd_loss(name)
        for kind, l2s in asked.items():
            l2s[i, j] = settings.fixed, owners_l2(kind, loss, alpha, m, d)
        for k in range(2):
            cell, l2 = (i, j, k), float(asked["output"][i, j, k])
            rng = rng_of("models", alpha, name, k)
            if (name, l2) not in clean:
                clean[name, l2] = minimise_statistic(design, loss, mu, l2, 1e-8).theta
            theta = clean[name, l2]
            output[cell] = OutputPerturbation(alpha, loss.a, l2).release(theta, m, rng)
            if np.isfinite(loss.lipschitz):
                l2 = float(asked["objective"][cell])
                mechanism = ObjectivePerturbation(alpha, loss.lipschitz, loss.steepest, l2)
                objective[cell] = mu - 2 / loss.a * mechanism.linear_term(m, d, rng)
                ridge[cell] = l2 + mechanism.extra_l2(m)
                scale[cell] = 2 / loss.a * mechanism.noise_scale(m)
    return {
        "output": output,
        **{("asked", kind): l2s for kind, l2s in asked.items()},
        ("objective", "statistic"): objective,
        ("objective", "l2"): ridge,
        ("objective", "scale"): scale,
    }
