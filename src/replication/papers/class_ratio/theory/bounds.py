"""The bounds of Iyer, Nath and Sarawagi (2016): Theorem 1, its lemmas, and the asymptotics of (11).

Sets are columns of P in the paper and rows here. Norms of vectors are Euclidean, of matrices spectral or
Frobenius.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log, log1p, sqrt

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.numerics.beta import log_gamma_step
from unveil.types import Array


def confidence(size: ArrayLike, sets: int, failure: float) -> Array:
    """C_δ(n) of Theorem 1: how far a mean of n unit vectors strays, one of 2M + 1 events sharing δ."""
    require(0 < failure < 1, "failure must lie strictly between 0 and 1")
    n = np.asarray(size, dtype=float)
    return np.asarray(2.0 / np.sqrt(n) + np.sqrt(log(2.0 * (2 * sets + 1) / failure) / (2.0 * n)))


@dataclass(frozen=True)
class LeastSquares:
    """One problem min ‖Âα − â‖: inner products of Â's columns, of those with â, and of â with itself."""

    gram: Array
    cross: Array
    square: float

    @property
    def smallest_singular(self) -> float:
        """minsing(Â): the root of the least eigenvalue of the Gram matrix."""
        return sqrt(max(float(np.linalg.eigvalsh(self.gram)[0]), 0.0))

    def objective(self, weights: ArrayLike) -> float:
        """‖Âα − â‖²."""
        alpha = np.asarray(weights, dtype=float)
        return float(alpha @ self.gram @ alpha - 2.0 * alpha @ self.cross + self.square)


def theorem1(problem: LeastSquares, proportions: Array, sizes: ArrayLike, test_size: int, failure: float) -> float:
    """The bound of Theorem 1 on ‖ρ̂ − ρ‖, with minsing(Â) in the place of the unknown minsing(Ā)."""
    smallest = problem.smallest_singular
    if smallest == 0.0:
        return inf
    sets = len(proportions)
    condition = float(np.linalg.norm(proportions, 2)) / smallest
    training = float(np.linalg.norm(confidence(sizes, sets, failure)))
    return training / smallest * (1.0 + condition) + condition * float(confidence(test_size, sets, failure))


def lemma2(problem: LeastSquares, estimate: Array, truth: Array, corrected: bool) -> float:
    """The bound of Lemma 2 on ‖α̂ − α*‖: as printed, or with minsing(Â) where it belongs, outside the root.

    ‖Â(α* − α̂)‖² is exactly the difference of the two objectives, and ‖Âv‖ ≥ minsing(Â)‖v‖.
    """
    rise = sqrt(max(problem.objective(truth) - problem.objective(estimate), 0.0))
    smallest = problem.smallest_singular
    if smallest == 0.0:
        return inf
    return rise / (smallest if corrected else sqrt(smallest))


def lemma4(proportions: Array, scales: ArrayLike, sizes: ArrayLike, failure: float) -> float:
    """The bound of Lemma 4 on ‖P̃ − P̂‖_F for scaled-Dirichlet releases."""
    require(0 < failure < 1, "failure must lie strictly between 0 and 1")
    concentration = np.asarray(scales, dtype=float) * np.asarray(sizes, dtype=float) + 1.0
    worst = float(np.max(proportions * (1.0 - proportions) / concentration[:, None]))
    return proportions.size / sqrt(failure) * sqrt(worst)


def chebyshev_delta(counts: ArrayLike, scale: float, epsilon: float) -> float:
    """δ by (10): Chebyshev's inequality for the tail (9); 1 where a mean is on the wrong side."""
    eta = np.asarray(counts, dtype=float)
    shares, total, worst = eta / eta.sum(), eta.sum(), 0.0
    for i in range(len(eta)):
        for j in range(len(eta)):
            if i != j:
                loss = log_gamma_step(scale * eta[i], scale) - log_gamma_step(scale * (eta[j] + 1), scale)
                worst = max(worst, _chebyshev_pair(shares[i], shares[j], (loss + epsilon) / scale, scale * total))
    return min(worst, 1.0)


def _chebyshev_pair(first: float, second: float, log_kappa: float, mass: float) -> float:
    """One pair of (10), divided by κ² so that a large κ = (Λe^ε)^(1/σ) does not overflow."""
    inverse = exp(min(-log_kappa, 700.0))
    gap = second - first * inverse
    if gap <= 0:
        return 1.0
    spread = first * (1 - first) * inverse**2 + second * (1 - second) + 2 * first * second * inverse
    return spread / ((mass + 1.0) * gap**2)


def asymptotic_delta(proportions: ArrayLike, total: float, scale: float, epsilon: float) -> float:
    """δ by (11): the limit of (10) for large counts, where Λ^(1/σ) is η_i/η_j."""
    rho = np.asarray(proportions, dtype=float)
    inverse = exp(-epsilon / scale)
    odds = (1.0 - rho) / rho
    pairs = odds[:, None] * inverse**2 + odds[None, :] + 2.0 * inverse
    np.fill_diagonal(pairs, 0.0)
    return min(float(pairs.max()) / ((scale * total + 1.0) * (1.0 - inverse) ** 2), 1.0)


def multinomial_prior_floor(draws: int, prior_mass: float, classes: int) -> float:
    """The least ε of releasing `draws` labels from a Dirichlet posterior whose prior has this total mass.

    The mechanism of Machanavajjhala et al. (2008): with the mass shared evenly, a class can lose its only
    member, and all draws can show that class; the ratio of the two probabilities is 1 +
    draws/(mass/classes). The floor therefore grows with the number of classes, unless the prior's mass
    does, at the cost of distortion.
    """
    require(draws >= 1 and prior_mass > 0 and classes >= 2, "draws, prior_mass and classes must be positive")
    return log1p(draws * classes / prior_mass)
