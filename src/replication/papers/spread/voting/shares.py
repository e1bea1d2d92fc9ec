"""The election of section 3: estimates of a share from flipped votes, and what repeated reports give away."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp, xlogy
from scipy.stats import binom

from unveil.types import Floats


def printed_share(frequency: Floats | float, p10: float, p01: float) -> Floats:
    """(24) as the paper prints it, with + p10: wrong wherever p10 > 0."""
    return np.asarray((np.asarray(frequency) + p10) / (1 - p10 - p01))


def corrected_share(frequency: Floats | float, p10: float, p01: float) -> Floats:
    """(24) with its sign put right: unbiased, but not confined to [0, 1]."""
    return np.asarray((np.asarray(frequency) - p10) / (1 - p10 - p01))


def clipped_share(frequency: Floats | float, p10: float, p01: float) -> Floats:
    """The maximum of the spread likelihood (22) over θ in [0, 1]: biased near the ends, never absurd."""
    return np.asarray(np.clip(corrected_share(frequency, p10, p01), 0, 1))


def revealed(matrix: Floats, releases: int, prior_one: float) -> tuple[float, float]:
    """What `releases` independent reports of one label reveal of it, by (3) and enumeration of their counts.

    Returns the mean posterior probability of the true label, and how often the reports' majority is true.
    """
    ones = np.arange(releases + 1)
    prior = np.array([1 - prior_one, prior_one])
    log_likelihood = xlogy(ones[:, None], matrix[1]) + xlogy(releases - ones[:, None], matrix[0])
    log_joint = np.log(prior) + log_likelihood
    posterior = np.exp(log_joint - logsumexp(log_joint, axis=1, keepdims=True))
    chance = binom.pmf(ones[:, None], releases, matrix[1])
    # A tie, which an even number allows, is broken by a fair coin.
    majority = 0.5 * (1 + np.sign(2 * ones - releases))
    right = np.column_stack([1 - majority, majority])
    return float(prior @ (chance * posterior).sum(axis=0)), float(prior @ (chance * right).sum(axis=0))
