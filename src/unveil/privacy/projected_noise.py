"""What Laplace noise on two class counts guarantees once the noisy counts are made consistent.

With two classes the consistent counts are (z, m − z) with z = (m + x₁ − x₂)/2 cut to [0, m]. Cutting turns both tails
into points of positive probability, and the loss of noise on two counts grows outwards, so that the worst outcomes are
these two points. Any further processing that shows them, such as a Dirichlet draw with a vanishing parameter, has the
same level.
"""

from __future__ import annotations

from math import log, log1p

from unveil.errors import require


def consistent_laplace_epsilon(losing: float, gaining: float, scale: float) -> float:
    """The exact ε between the counts (losing, gaining) and (losing − 1, gaining + 1) under noise of this scale."""
    require(losing >= 1, "losing must be at least 1: a label moves out of that class")
    require(gaining >= 0, "gaining must not be negative")
    require(scale > 0, "scale must be positive")
    # The point "all of the class" is likelier the more the class has, and the less the less.
    full = _log_tail(2 * gaining, scale) - _log_tail(2 * (gaining + 1), scale)
    empty = _log_tail(2 * (losing - 1), scale) - _log_tail(2 * losing, scale)
    return max(full, empty)


def _log_tail(t: float, scale: float) -> float:
    """Log P[x₁ − x₂ ≥ t] for t ≥ 0: the difference of two Laplace variables."""
    return -t / scale + log1p(t / (2 * scale)) - log(2)
