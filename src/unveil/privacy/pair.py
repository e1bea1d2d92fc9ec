"""What one moved label changes in a Dirichlet release of fixed scale (Iyer et al. 2016, section 3).

The densities of Dir(ση) and of Dir(σ(η − e_i + e_j)) differ by a function of θ_i/θ_j alone, so both the
probability that the paper bounds and the exact hockey-stick divergence are beta tails at one threshold.
"""

from __future__ import annotations

from math import exp, inf

import numpy as np
from numba import njit

from unveil.numerics.beta import beta_tails, log_gamma_step

#: Above this count the loss that one label makes, a difference of large logarithms, has fewer than six digits after
#: the point; near 10^16 a scale found from it can be eight times too large.
MOST_MEMBERS = 1e9


@njit(cache=True)
def threshold_log_odds(from_count: float, to_count: float, scale: float, epsilon: float) -> float:
    """The log-odds of θ_i/(θ_i+θ_j) above which the loss exceeds ε: (log Λ_ij + ε)/σ, the border of Θ_ij."""
    if from_count <= 1.0 or to_count <= 0.0:
        return -inf  # one of the two releases has a class the other cannot show
    loss = log_gamma_step(scale * from_count, scale) - log_gamma_step(scale * (to_count + 1.0), scale)
    return (loss + epsilon) / scale


@njit(cache=True)
def loss_tail(from_count: float, to_count: float, scale: float, epsilon: float) -> float:
    """P[θ ∉ Θ_ij], equation (9), its integral taken over the complement of Θ_ij."""
    border = threshold_log_odds(from_count, to_count, scale, epsilon)
    return beta_tails(scale * from_count, scale * to_count, border)[0]


@njit(cache=True)
def hockey_stick(from_count: float, to_count: float, scale: float, epsilon: float) -> float:
    """The least δ with P[g(η) ∈ B] ≤ e^ε P[g(η − e_i + e_j) ∈ B] + δ for every B."""
    if from_count <= 1.0 or to_count <= 0.0:
        return 1.0
    border = threshold_log_odds(from_count, to_count, scale, epsilon)
    here = beta_tails(scale * from_count, scale * to_count, border)[0]
    there = beta_tails(scale * (from_count - 1.0), scale * (to_count + 1.0), border)[0]
    return max(here - exp(epsilon) * there, 0.0)


#: `loss_tail`, element by element, broadcast.
loss_tails = np.vectorize(loss_tail, otypes=[float])
