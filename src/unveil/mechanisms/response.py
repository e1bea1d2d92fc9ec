"""Classical randomised response: the truth with probability ε, otherwise a draw from a known distribution.

Raghunathan et al. (2016), section 3.1, after Warner (1965).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.types import Floats


def randomized_response_matrix(m: int, epsilon: float, base: ArrayLike | None = None) -> Floats:
    """S[o, y] = ε 1[o = y] + (1 − ε) u(o) of (5), shape (m, m), columns sum to one; u uniform by default."""
    require(m >= 1, "m must be at least 1: the number of states")
    require(0 < epsilon <= 1, "epsilon must lie in (0, 1]: the probability of a truthful answer")
    u = base_distribution(m, base)
    return epsilon * np.eye(m) + (1 - epsilon) * u[:, None]


def base_distribution(m: int, base: ArrayLike | None) -> Floats:
    """The distribution u of (5): `base` checked, or uniform."""
    if base is None:
        return np.full(m, 1 / m)
    u = np.asarray(base, dtype=float)
    require(u.shape == (m,), "base must have one probability per state")
    require(
        bool(np.isfinite(u).all() and (u >= 0).all()) and abs(u.sum() - 1) <= 1e-9,
        "base must be a distribution: nonnegative, sum one",
    )
    return u
