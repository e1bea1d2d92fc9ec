"""Closed forms of the loss that a release costs the moment estimator, of the paper and extended.

Σ_mom = I⁻¹ + I⁻¹ H I⁻¹ (14), with H = E[Cov[β(o) | y]] for classical randomised response (Lemma 1, (15)),
coordinate release (Theorem 1, (26)) and per-value φ-RR (Theorem 2, (28)). The theorems assume bits and c = 1
(appendix A.3), and are exact for them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.theory.asymptotics import inverse_information
from unveil.theory.finite_models import (
    as_parameters,
    as_statistics,
    fisher_information,
    probabilities,
    weighted_covariance,
    weighted_mean,
)
from unveil.types import Floats


def moment_variance(phi: Floats, theta: Floats, loss: Floats) -> Floats:
    """Σ_mom = I⁻¹ + I⁻¹ H I⁻¹ for a loss matrix H."""
    inverse = inverse_information(fisher_information(phi, theta), "the states")
    return inverse + inverse @ loss @ inverse


def response_loss(phi: ArrayLike, theta: ArrayLike, epsilon: float, base: ArrayLike | None = None) -> Floats:
    """H of Lemma 1 (15): y' ~ `base` (uniform by default) replaces y with probability 1 − ε."""
    statistics = as_statistics(phi)
    y = probabilities(statistics, as_parameters(theta, statistics))
    u = _base(base, len(statistics), epsilon)
    shifted = statistics - weighted_mean(statistics, u)
    choice = (shifted * y[:, None]).T @ shifted
    return (1 - epsilon) / epsilon**2 * weighted_covariance(statistics, u) + (1 - epsilon) / epsilon * choice


def response_marginal_information(
    phi: ArrayLike, theta: ArrayLike, epsilon: float, base: ArrayLike | None = None
) -> Floats:
    """Σ_marg⁻¹ for randomised response: ε² Σ_o p(o)²/q(o) (φ(o) − μ)(φ(o) − μ)ᵀ, q = εp + (1 − ε)u.

    The paper gives no closed form; this one follows from (13) because every observation is itself a state.
    """
    statistics = as_statistics(phi)
    y = probabilities(statistics, as_parameters(theta, statistics))
    seen = epsilon * y + (1 - epsilon) * _base(base, len(statistics), epsilon)
    return epsilon**2 * _squared_weight_covariance(statistics, y, seen)


def efficiency_limit(phi: ArrayLike, theta: ArrayLike, base: ArrayLike | None = None) -> float:
    """The limit of Eff as ε → 0: d⁻¹ tr(J⁻¹ I Cov_u[φ]⁻¹ I) with J = Σ_o p(o)²/u(o) (φ(o) − μ)(φ(o) − μ)ᵀ.

    Both variances grow as ε⁻², so the ratio tends to a positive number, not to zero.
    """
    statistics = as_statistics(phi)
    truth = as_parameters(theta, statistics)
    u = _base(base, len(statistics), epsilon=1.0)
    require((u > 0).all(), "base must give every state positive probability for the limit to exist")
    marginal = inverse_information(
        _squared_weight_covariance(statistics, probabilities(statistics, truth), u), "the observations"
    )
    information = fisher_information(statistics, truth)
    moments = information @ inverse_information(weighted_covariance(statistics, u), "the base") @ information
    return float(np.trace(marginal @ moments) / statistics.shape[1])


def flip_variance(alpha: float) -> float:
    """q(1 − q)/(2q − 1)² at q = q_α: the variance of one debiased bit; equal to 1/(4 sinh²(α/4))."""
    require(alpha > 0, "alpha must be positive")
    # Written so that neither a tiny nor an infinite α overflows.
    return float(np.exp(-alpha / 2) / np.expm1(-alpha / 2) ** 2)


def coordinate_loss_printed(phi: ArrayLike, weights: ArrayLike, alpha: float) -> Floats:
    """H of Theorem 1 (26), for the bits, c = 1 and uniform p_cr that it assumes."""
    statistics = as_statistics(phi)
    y = np.asarray(weights, dtype=float)
    d = statistics.shape[1]
    squares = d * np.diag(y @ statistics**2)
    result: Floats = d * flip_variance(alpha) * np.eye(d) + squares - (statistics * y[:, None]).T @ statistics
    return result


def per_value_loss_printed(phi: ArrayLike, alpha: float, delta_bar: float) -> Floats:
    """H of Theorem 2 (28), for the bits and c = 1 that it assumes."""
    return flip_variance(alpha / delta_bar) * np.eye(as_statistics(phi).shape[1])


def _squared_weight_covariance(phi: Floats, weights: Floats, against: Floats) -> Floats:
    centred = phi - weighted_mean(phi, weights)
    seen = weights > 0
    ratio = np.where(seen, weights**2 / np.where(seen, against, 1.0), 0.0)
    return (centred * ratio[:, None]).T @ centred


def _base(base: ArrayLike | None, states: int, epsilon: float) -> Floats:
    require(0 < epsilon <= 1, "epsilon must lie in (0, 1]")
    if base is None:
        return np.full(states, 1 / states)
    return _distribution(base, states, "base", "state")


def _distribution(chances: ArrayLike, size: int, name: str, of: str) -> Floats:
    p: Floats = np.asarray(chances, dtype=float)
    require(p.shape == (size,), f"{name} must have one probability per {of}")
    require(
        bool((p >= 0).all()) and abs(p.sum() - 1) <= 1e-9,
        f"{name} must be a distribution: not negative, and with entries that sum to one",
    )
    return p
