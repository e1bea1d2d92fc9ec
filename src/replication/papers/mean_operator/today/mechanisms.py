"""Label mechanisms of today that the paper could not know, and what a learner takes from them."""

from __future__ import annotations

from math import exp

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from unveil.mechanisms.label_perturbation import LabelResponse
from unveil.types import Array, Floats


def release_with_prior(y: Array, prior: Floats, epsilon: float, rng: Generator) -> Array:
    """Labels ±1 given a guess at P(y = 1) that is independent of them (Ghazi et al. 2021, RRWithPrior for two classes).

    Where the likelier class has probability e^ε/(1 + e^ε) or more it is reported whatever the label is; elsewhere the
    label goes through randomised response. Of all ε-private reports this one is right most often, their theorem 3.
    """
    likely = np.where(prior >= 0.5, 1, -1).astype(np.int8)
    sure = np.maximum(prior, 1 - prior) >= 1 / (1 + exp(-epsilon))
    return np.where(sure, likely, LabelResponse(epsilon).release(y, rng))


def release_one_hot(y: Array, epsilon: float, rng: Generator) -> Floats:
    """One-hot labels (n, 2) with Laplace noise of scale 2/ε, their 1-norm sensitivity over ε (Malek et al. 2021)."""
    one_hot = np.stack([y < 0, y > 0], axis=1).astype(float)
    return one_hot + rng.laplace(scale=2 / epsilon, size=one_hot.shape)


def denoise(noisy: ArrayLike, epsilon: float) -> Floats:
    """E[y | noisy one-hot] in [−1, 1] by Bayes' rule.

    ASSUME: classes are equally likely beforehand: then its expectation given x has the sign of P(y = 1 | x) − ½.
    """
    reports = np.asarray(noisy, dtype=float)
    away = np.abs(reports) - np.abs(reports - 1)
    return np.asarray(np.tanh((away[:, 1] - away[:, 0]) * epsilon / 4))


def fold_sums(X: Floats, labels: Floats | Array, folds: int) -> Floats:
    """Σ y·x over every `folds`-th record, (folds, d): what a linear-odd loss and its folds want."""
    return np.stack([labels[fold::folds] @ X[fold::folds] for fold in range(folds)])
