"""Exponential families over a finite set, seen through a supervision matrix.

Raghunathan et al. (2016), sections 2 and 6. States are rows: `phi` has shape (m, d). Observations are the
rows of the supervision matrix, `supervision[o, y]` = S(o | y), of shape (k, m). Parameters may carry leading
axes, so that many models are handled at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from unveil.errors import require
from unveil.types import Floats, as_numbers, require_moderate

#: How far a column of S may sum from one, and Φ may lie from the row space of S, before it counts as wrong.
TOLERANCE = 1e-8
#: The largest statistic and parameter: sums of products of four of them are finite.
MOST = 1e50


def as_statistics(phi: ArrayLike) -> Floats:
    """`phi` as a finite (m, d) array of floats."""
    rows = as_numbers(phi, "phi")
    require(rows.ndim == 2 and rows.size > 0, "phi must have shape (m, d): one row of statistics per state")
    require_moderate(rows, "phi", MOST)
    return rows


def as_parameters(theta: ArrayLike, phi: Floats, name: str = "theta") -> Floats:
    """`theta` as a finite (..., d) array that fits `phi`."""
    values = as_numbers(theta, name)
    require(
        values.ndim >= 1 and values.shape[-1] == phi.shape[1],
        f"{name} must have one entry per statistic (the columns of phi)",
    )
    require_moderate(values, name, MOST)
    return values


def as_supervision(supervision: ArrayLike, states: int) -> Floats:
    """`supervision` as a column-stochastic (k, m) matrix S[o, y]."""
    matrix = as_numbers(supervision, "supervision")
    require(
        matrix.ndim == 2 and matrix.shape[1] == states,
        "supervision must have shape (k, m): S[o, y], one column per state (row of phi)",
    )
    require(np.isfinite(matrix).all() and (matrix >= 0).all(), "supervision must hold probabilities: no entry below 0")
    require(
        np.abs(matrix.sum(axis=0) - 1).max() <= TOLERANCE,
        "supervision must have columns that sum to one: S[o, y] is a distribution over o for each y",
    )
    return matrix


def probabilities(phi: Floats, theta: Floats) -> Floats:
    """p_θ(y) ∝ exp(θᵀφ(y)), shape (..., m)."""
    scores = theta @ phi.T
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def weighted_mean(phi: Floats, weights: Floats) -> Floats:
    """E[φ(y)] when y has distribution `weights` (..., m); shape (..., d)."""
    return weights @ phi


def weighted_covariance(phi: Floats, weights: Floats) -> Floats:
    """Cov[φ(y)] when y has distribution `weights` (..., m); shape (..., d, d)."""
    centred = phi - weighted_mean(phi, weights)[..., None, :]
    return np.asarray(np.swapaxes(centred * weights[..., None], -1, -2) @ centred)


def fisher_information(phi: Floats, theta: Floats) -> Floats:
    """I = Cov_θ[φ(y)], the information of a fully observed y."""
    return weighted_covariance(phi, probabilities(phi, theta))


def observation_marginals(phi: Floats, theta: Floats, supervision: Floats) -> Floats:
    """q_θ = S p_θ, shape (..., k)."""
    return probabilities(phi, theta) @ supervision.T


def posterior_means(phi: Floats, theta: Floats, supervision: Floats) -> Floats:
    """E[φ(y) | o] for every o, shape (..., k, d); the model's mean where o has probability zero."""
    joint = probabilities(phi, theta)[..., None, :] * supervision
    mass = joint.sum(axis=-1, keepdims=True)
    mean = weighted_mean(phi, probabilities(phi, theta))[..., None, :]
    return np.asarray(np.where(mass > 0, joint @ phi / np.where(mass > 0, mass, 1.0), mean))


def marginal_information(phi: Floats, theta: Floats, supervision: Floats) -> Floats:
    """The information about θ in o: Cov[E[φ(y) | o]], that is I − E[Cov[φ(y) | o]] without cancellation."""
    scores = _scores(phi, theta, supervision)
    weights = observation_marginals(phi, theta, supervision)
    return np.asarray(np.swapaxes(scores * weights[..., None], -1, -2) @ scores)


def marginal_score(phi: Floats, theta: Floats, supervision: Floats, frequencies: Floats) -> Floats:
    """The gradient of the mean log-marginal likelihood: Σ_o q̂(o) (E[φ(y) | o] − E[φ(y)])."""
    scores = _scores(phi, theta, supervision)
    return np.asarray(np.einsum("...k,...kd->...d", frequencies, scores))


def log_marginal(phi: Floats, theta: Floats, supervision: Floats, frequencies: Floats) -> Floats:
    """Σ_o q̂(o) log (S p_θ)(o), the objective of (2); an o never seen counts for nothing."""
    result: Floats = xlogy(frequencies, observation_marginals(phi, theta, supervision)).sum(axis=-1)
    return result


def _scores(phi: Floats, theta: Floats, supervision: Floats) -> Floats:
    """∇ log q_θ(o) for every o: E[φ(y) | o] − E[φ(y)]."""
    mean = weighted_mean(phi, probabilities(phi, theta))
    return posterior_means(phi, theta, supervision) - mean[..., None, :]
