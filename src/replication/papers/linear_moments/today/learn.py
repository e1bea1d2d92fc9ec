"""The learner of regressions: one estimator for all mechanisms, from noisy means of products and their known noise."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt

import numpy as np

from replication.arrays import Fields, Named
from replication.papers.linear_moments.today.records import multiply, pairs, split_records
from replication.papers.linear_moments.today.settings import Release
from replication.randomness import Trial
from unveil.estimators.moments.regression import MomentRegression
from unveil.types import Floats

#: The ridges tried, in the noise of the moments times √d.
STRENGTHS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Release) -> Named:
    """Intercept and weights for each size, `(data set, mechanism, level)`; the arm that peeks has least squares."""
    if not released:
        return {(dataset, "least_squares"): _in_the_clear(public, dataset, trial) for dataset in public}
    return {
        key: np.stack([regress(halves) for halves in told.transpose(1, 0, 2)])
        for key, told in released["records"].items()
    }


def regress(halves: Floats) -> Floats:
    """Intercept and weights from means of products in two halves of the records, (2, products + 1), the noise last.

    The ridge is a multiple of the noise (section 7): the one of least risk in the half that is held out, with a
    deviation of that risk added, as noise makes it seem less than it is. Without any that helps the weights are 0.
    """
    parts = [(half[:-1], float(half[-1])) for half in halves]
    risks = [[_risk(_fit(*parts[k], strength), *parts[1 - k]) for strength in STRENGTHS] for k in (0, 1)]
    means = np.mean(risks, axis=0)
    both = halves[:, :-1].mean(axis=0), float(np.hypot(*halves[:, -1])) / 2
    best = int(means.argmin())
    middle, _ = _centre(*both)
    weights = _fit(*both, STRENGTHS[best]) if means[best] < 0 else np.zeros(len(middle) - 1)
    return np.append(middle[-1] - middle[:-1] @ weights, weights)


def _centre(means: Floats, noise: float) -> tuple[Floats, Floats]:
    """Means of features and target, and their covariance.

    Means are shrunk as if they were uniform on [−1, 1] before any was seen, with a variance of a third.
    """
    width = round((sqrt(8 * (len(means) + 1) + 1) - 1) / 2)
    moments = np.ones((width, width))
    i, j = pairs(width)
    moments[i, j] = moments[j, i] = means
    middle = np.clip(moments[0, 1:], -1, 1) / (1 + 3 * noise**2)
    return middle, moments[1:, 1:] - np.outer(middle, middle)


def _fit(means: Floats, noise: float, strength: float) -> Floats:
    _, spread = _centre(means, noise)
    return MomentRegression("ridge", strength * noise).fit_moments(spread[:-1, :-1], spread[:-1, -1]).coef_


def _risk(weights: Floats, means: Floats, noise: float) -> float:
    """E(y − wᵀx)² less the target's variance, by noisy moments, and a deviation of its noise."""
    _, spread = _centre(means, noise)
    size = float(weights @ weights)
    risk = weights @ spread[:-1, :-1] @ weights - 2 * weights @ spread[:-1, -1]
    return float(risk) + noise * sqrt(2 * size**2 + 4 * size)


def _in_the_clear(peeked: Fields, dataset: str, trial: Trial) -> Floats:
    products = multiply(split_records(peeked, dataset, trial)[0])
    return regress(np.stack([np.append(products[k::2].mean(axis=0), 0.0) for k in (0, 1)]))[None]
