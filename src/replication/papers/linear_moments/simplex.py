"""The geometry of two-step estimation (Raghunathan et al. 2016, section 6), as figures 4 and 5 draw it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.theory.finite_models import as_statistics, as_supervision, log_marginal, marginal_score
from unveil.theory.geometry import as_frequencies
from unveil.types import Floats

#: Slopes in the units of φ that are zero up to rounding.
ROUNDING = 64 * float(np.finfo(float).eps)


def simplex_preimage(frequencies: ArrayLike, supervision: ArrayLike) -> Floats:
    """S⁺q̂: the shortest r with the least ‖q̂ − Sr‖.

    The paper calls it the minimiser over the simplex; it need not even lie there.
    """
    matrix = np.asarray(supervision, dtype=float)
    result: Floats = np.linalg.pinv(matrix) @ np.asarray(frequencies, dtype=float)
    return result


def simplex_relaxation(
    frequencies: ArrayLike, supervision: ArrayLike, start: ArrayLike | None = None, steps: int = 100_000
) -> Floats:
    """Minimise KL(q̂ ‖ Sp) over the simplex by EM, the first half of (17): convex, so that any start will do.

    Frequencies (..., k) may be those of several samples. Stops when the duality gap
    max_y Σ_o q̂(o) S(o | y)/(Sp)(o) − 1, which bounds the excess, is below 1e-12.
    """
    seen, matrix = as_frequencies(frequencies, supervision)
    m = matrix.shape[1]
    p = np.full((*seen.shape[:-1], m), 1 / m) if start is None else np.asarray(start, dtype=float)
    require(bool((p > 0).all()), "start must be positive on every state: EM keeps zeros for ever")
    for _ in range(steps):
        reached = p @ matrix.T
        require(bool((reached[seen > 0] > 0).all()), "frequencies must be possible: some o has no state behind it")
        gain = np.divide(seen, reached, out=np.zeros_like(seen), where=seen > 0) @ matrix
        p = p * gain
        if gain.max() - 1 <= 1e-12:
            break
    return np.asarray(p / p.sum(axis=-1, keepdims=True))


def stationary_points(
    phi: ArrayLike, supervision: ArrayLike, frequencies: ArrayLike, low: float, high: float, grid: int = 4001
) -> list[tuple[float, str]]:
    """The interior stationary points (θ, "max" or "min") of the log-marginal of a one-parameter family.

    Sign changes of the derivative on a grid over [low, high], refined by Brent's method. Where the curve only
    flattens out, towards ±∞, there is none.
    """
    statistics = as_statistics(phi)
    matrix = as_supervision(supervision, len(statistics))
    seen = np.asarray(frequencies, dtype=float)

    from scipy.optimize import brentq  # imported late: most jobs that import this module need no root

    def slope(theta: float) -> float:
        return float(marginal_score(statistics, np.array([theta]), matrix, seen)[0])

    points = np.linspace(low, high, grid)
    slopes = marginal_score(statistics, points[:, None], matrix, seen)[:, 0]
    found = []
    # A slope of a few roundings has no sign.
    for i, j in pairwise(np.flatnonzero(np.abs(slopes) > ROUNDING * np.ptp(statistics))):
        if slopes[i] * slopes[j] < 0:
            theta = float(brentq(slope, points[i], points[j], xtol=1e-13))
            found.append((theta, "max" if slopes[i] > 0 else "min"))
    return found


def global_maximum(
    phi: ArrayLike, supervision: ArrayLike, frequencies: ArrayLike, low: float, high: float, grid: int = 4001
) -> float:
    """θ at the highest point of the log-marginal on [low, high], ends included."""
    statistics = as_statistics(phi)
    matrix = as_supervision(supervision, len(statistics))
    points = [low, high]
    points += [theta for theta, _ in stationary_points(phi, supervision, frequencies, low, high, grid)]
    values = log_marginal(statistics, np.array(points)[:, None], matrix, np.asarray(frequencies, dtype=float)[None, :])
    return points[int(np.argmax(values))]
