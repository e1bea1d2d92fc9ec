"""Closed forms of the loss that a release costs the moment estimator, of the paper and extended.

Σ_mom = I⁻¹ + I⁻¹ H I⁻¹ (14), with H = E[Cov[β(o) | y]] for classical randomised response (Lemma 1, (15)),
coordinate release (Theorem 1, (26)) and per-value φ-RR (Theorem 2, (28)). The theorems assume bits and c = 1
(appendix A.3), and are exact for them.
"""

from __future__ import annotations

import numpy as np

from unveil.theory.asymptotics import inverse_information
from unveil.theory.finite_models import fisher_information, probabilities, weighted_covariance, weighted_mean
from unveil.types import Floats


def moment_variance(phi: Floats, theta: Floats, loss: Floats) -> Floats:
    """Σ_mom = I⁻¹ + I⁻¹ H I⁻¹ for a loss matrix H."""
    inverse = inverse_information(fisher_information(phi, theta), "the states")
    return inverse + inverse @ loss @ inverse


def response_loss(phi: Floats, theta: Floats, epsilon: float, base: Floats | None = None) -> Floats:
    """H of Lemma 1 (15): y' ~ `base` (uniform by default) replaces y with probability 1 − ε."""
    y, u = probabilities(phi, theta), _uniform(phi) if base is None else base
    shifted = phi - weighted_mean(phi, u)
    choice = (shifted * y[:, None]).T @ shifted
    return (1 - epsilon) / epsilon**2 * weighted_covariance(phi, u) + (1 - epsilon) / epsilon * choice


def response_marginal_information(phi: Floats, theta: Floats, epsilon: float) -> Floats:
    """Σ_marg⁻¹ for randomised response with uniform u: ε² Σ_o p(o)²/q(o) (φ(o) − μ)(φ(o) − μ)ᵀ, q = εp + (1 − ε)u.

    The paper gives no closed form; this one follows from (13) because every observation is itself a state.
    """
    y = probabilities(phi, theta)
    return epsilon**2 * _squared_weight_covariance(phi, y, epsilon * y + (1 - epsilon) * _uniform(phi))


def efficiency_limit(phi: Floats, theta: Floats) -> float:
    """The limit of Eff as ε → 0: d⁻¹ tr(J⁻¹ I Cov_u[φ]⁻¹ I) with J = Σ_o p(o)²/u(o) (φ(o) − μ)(φ(o) − μ)ᵀ, u uniform.

    Both variances grow as ε⁻², so the ratio tends to a positive number, not to zero.
    """
    u = _uniform(phi)
    marginal = inverse_information(_squared_weight_covariance(phi, probabilities(phi, theta), u), "the observations")
    information = fisher_information(phi, theta)
    moments = information @ inverse_information(weighted_covariance(phi, u), "the base") @ information
    return float(np.trace(marginal @ moments) / phi.shape[1])


def flip_variance(alpha: float) -> float:
    """q(1 − q)/(2q − 1)² at q = q_α: the variance of one debiased bit; equal to 1/(4 sinh²(α/4))."""
    # Written so that neither a tiny nor an infinite α overflows.
    return float(np.exp(-alpha / 2) / np.expm1(-alpha / 2) ** 2)


def coordinate_loss_printed(phi: Floats, weights: Floats, alpha: float) -> Floats:
    """H of Theorem 1 (26), for the bits, c = 1 and uniform p_cr that it assumes."""
    d = phi.shape[1]
    squares = d * np.diag(weights @ phi**2)
    result: Floats = d * flip_variance(alpha) * np.eye(d) + squares - (phi * weights[:, None]).T @ phi
    return result


def per_value_loss_printed(phi: Floats, alpha: float, delta_bar: float) -> Floats:
    """H of Theorem 2 (28), for the bits and c = 1 that it assumes."""
    return flip_variance(alpha / delta_bar) * np.eye(phi.shape[1])


def _squared_weight_covariance(phi: Floats, weights: Floats, against: Floats) -> Floats:
    centred = phi - weighted_mean(phi, weights)
    seen = weights > 0
    ratio = np.where(seen, weights**2 / np.where(seen, against, 1.0), 0.0)
    return (centred * ratio[:, None]).T @ centred


def _uniform(phi: Floats) -> Floats:
    return np.full(len(phi), 1 / len(phi))
