"""The owner: the mean operator behind noise of the right scale, and what is done to labels today, at the same ε."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from scipy.special import expit

from replication.arrays import Fields, Key, Released
from replication.common.margin_losses import LOSSES
from replication.common.ridge_paths import fit_tuned
from replication.common.tasks import signs, stack, training
from replication.papers.mean_operator.perturbation import ObjectivePerturbation
from replication.papers.mean_operator.rules import owners_l2
from replication.papers.mean_operator.today.mechanisms import fold_sums, release_one_hot, release_with_prior
from replication.papers.mean_operator.today.settings import Release
from replication.randomness import Trial
from unveil.estimators.statistics.losses import linear_odd_loss
from unveil.estimators.statistics.risk import Design
from unveil.mechanisms.label_perturbation import LabelResponse
from unveil.mechanisms.mean_operator import MeanOperatorRelease, mean_operator
from unveil.types import Array, Floats

#: What a learner is told of every noisy statistic beside it.
LOSS = linear_odd_loss("logistic")


def release(fields: Fields, trial: Trial, settings: Release) -> Released:
    """By ε: noisy mean operators, a noisy objective, and three kinds of noisy labels; records in a random order."""
    X, rows = training(settings.dataset, fields, trial, shuffled=True)
    y = signs(settings.dataset, fields)[rows]
    noised = [_release_level(X, y, epsilon, settings, trial.rng) for epsilon in settings.epsilons]
    return Released(stack(noised), {"clean": fold_sums(X, y, settings.folds)})


def _release_level(X: Floats, y: Array, epsilon: float, settings: Release, rng: Generator) -> dict[Key, Array]:
    """ASSUME: the features are public, so the largest ‖x‖₁ among them is, which the right Laplace scale needs."""
    m, d = X.shape
    widest = float(np.max(np.linalg.norm(X, ord=1, axis=1)))
    found: dict[Key, Array] = {}
    for name, bound in (("laplace", widest), ("gamma", None)):
        veil = MeanOperatorRelease(epsilon, name, l1_bound=bound)
        found["statistic", name], found["scale", name] = veil.release(X, y, rng), np.array(veil.scale(m, d))
    curator = ObjectivePerturbation(epsilon, LOSS.lipschitz, LOSS.steepest, owners_l2("objective", LOSS, epsilon, m, d))
    found["statistic", "objective"] = mean_operator(X, y) - 2 / LOSS.a * curator.linear_term(m, d, rng)
    found["scale", "objective"] = np.array(2 / LOSS.a * curator.noise_scale(m))
    return {
        **found,
        "flipped": LabelResponse(epsilon).release(y, rng),
        "two_rounds": _release_twice(X, y, epsilon, settings, rng),
        "one_hot": release_one_hot(y, epsilon, rng).astype(np.float32),
    }


def _release_twice(X: Floats, y: Array, epsilon: float, settings: Release, rng: Generator) -> Array:
    """The first half's labels by randomised response, the other half's with what was learnt from them as the prior.

    Each label is asked once, so that the level is ε (Ghazi et al. 2021, algorithm 3 with two stages).
    """
    half = len(y) // 2
    first = LabelResponse(epsilon).release(y[:half], rng)
    theta = fit_tuned(Design(X[:half]), first[None], np.zeros(1), LOSSES["naive"](1), settings).theta[0]
    return np.append(first, release_with_prior(y[half:], expit(X[half:] @ theta), epsilon, rng))
