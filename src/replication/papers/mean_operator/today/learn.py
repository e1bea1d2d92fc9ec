"""The learner: a linear classifier with the logistic loss from each release, λ chosen by what was released."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.random import Generator

from replication.arrays import Fields, Key, Named, under
from replication.common.margin_losses import LOSSES
from replication.common.ridge_paths import fit_tuned
from replication.common.tasks import training
from replication.common.tuning import Tuning
from replication.papers.mean_operator.rules import statistic_noise
from replication.papers.mean_operator.today.mechanisms import denoise, fold_sums
from replication.papers.mean_operator.today.settings import Learn
from replication.randomness import Trial
from unveil.estimators.statistics.losses import linear_odd_loss
from unveil.estimators.statistics.risk import Design
from unveil.estimators.statistics.tuning import Noise, minimise_together, risks_without_noise
from unveil.types import Array, Floats

LOSS = linear_odd_loss("logistic")
#: The corrected losses of flipped labels: p(reported | θᵀx), and an unbiased one, for which a mean operator suffices.
CORRECTIONS = {"forward": "marginal", "backward": "mean_operator"}


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """θ of each method by ε; of what is not private, one."""
    (part,) = released.values()
    X, _ = training(settings.dataset, public, trial, shuffled=True)
    design, flips = Design(X), 1 / (1 + np.exp(np.array(settings.epsilons)))
    found: dict[Key, Array] = {}
    for name, statistics in under(part, "statistic").items():
        scales = part["scale", str(name)].tolist()
        noises = [statistic_noise(str(name), scale, design.features.shape[1]) for scale in scales]
        found["theta", str(name)] = _fit_statistics(design, statistics, noises, settings, trial.rng)
    for name, loss in CORRECTIONS.items():
        found["theta", name] = fit_tuned(design, part["flipped"], flips, LOSSES[loss](1), settings).theta
    found["theta", "two_rounds"] = fit_tuned(
        design, part["two_rounds"], np.zeros(len(flips)), LOSSES["naive"](1), settings
    ).theta
    labels = [denoise(noisy, epsilon) for noisy, epsilon in zip(part["one_hot"], settings.epsilons, strict=True)]
    sums = [fold_sums(X, soft, settings.folds) for soft in labels]
    found["theta", "denoised"] = np.stack([_fit_folds(design, own, settings) for own in sums])
    found["theta", "none"] = _fit_folds(design, part["clean"], settings)[None]
    about = {"dataset": settings.dataset, "epsilons": settings.epsilons, "n": len(X)}
    return {**found, **{name: np.asarray(value) for name, value in about.items()}}


def _fit_statistics(design: Design, statistics: Floats, noises: list[Noise], settings: Learn, rng: Generator) -> Floats:
    """θ (k, d), each with the λ of the least risk by a parametric bootstrap about what was released."""
    risks = risks_without_noise(design, LOSS, statistics, noises, settings.l2s, rng, settings.draws, settings.tolerance)
    chosen = np.asarray(settings.l2s, dtype=float)[risks.argmin(axis=1)]
    return minimise_together(design, LOSS, statistics, chosen, tolerance=settings.tolerance)


def _fit_folds(design: Design, out: Floats, settings: Tuning) -> Floats:
    """θ (d,) from the folds' sums of y·x, y in [−1, 1], λ by cross-validation on the same labels."""
    X, folds, l2s = design.features, len(out), np.asarray(settings.l2s, dtype=float)
    counts = np.array([len(X[fold::folds]) for fold in range(folds)])
    rest = (out.sum(axis=0) - out) / (len(X) - counts)[:, None]
    asked = np.repeat(rest, len(l2s), axis=0), np.tile(l2s, folds)
    thetas = minimise_together(design, LOSS, *asked, tolerance=settings.tolerance).reshape(folds, len(l2s), -1)
    losses = np.zeros(len(l2s))
    for fold, own in enumerate(thetas):
        losses += LOSS.even(X[fold::folds] @ own.T).sum(axis=0) - LOSS.a / 2 * own @ out[fold]
    best = l2s[[losses.argmin()]]
    (theta,) = minimise_together(design, LOSS, out.sum(axis=0)[None] / len(X), best, tolerance=settings.tolerance)
    return np.asarray(theta)
