"""The geometry of two-step estimation (Raghunathan et al. 2016, section 6).

Marginal likelihood minimises KL(q̂ ‖ Sp) over the curved family F. Moments relax this: first a distribution
r̂ over all of the simplex (or of the hyperplane around it), then its projection onto F, which matches the
moments of r̂.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from unveil.errors import require
from unveil.theory.finite_models import (
    as_parameters,
    as_statistics,
    as_supervision,
    log_marginal,
    marginal_score,
    probabilities,
)
from unveil.types import Floats

#: Ten to twenty interior steps close the gap.
INTERIOR_STEPS = 200
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
    seen, matrix = _observed(frequencies, supervision)
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


def closest_distributions(frequencies: ArrayLike, supervision: ArrayLike) -> Floats:
    """What `simplex_relaxation` converges to, for many samples (..., k) at once and in some twenty steps.

    Mehrotra's predictor and corrector, on all samples together: r minimises Σr − Σ_o q̂(o) log (Sr)(o) over r ≥ 0,
    where it sums to one. EM needs 10⁵ steps and more where S tells its states badly apart, or r(y) = 0 for a state
    whose multiplier is 0, too. The duality gap at the end is the same: below 1e-12.
    """
    given, matrix = _observed(frequencies, supervision)
    seen = given.reshape(-1, len(matrix))
    possible = bool((matrix.any(axis=1) | (seen == 0)).all())
    require(possible, "frequencies must be possible: some o has no state behind it")
    n, m = len(seen), matrix.shape[1]
    points, prices, rest = np.full((n, m), 1 / m), np.ones((n, m)), np.arange(n)
    for _ in range(INTERIOR_STEPS):
        q, p = seen[rest], points[rest]
        reached = p @ matrix.T
        ratio = np.divide(q, reached, out=np.zeros_like(q), where=q > 0)
        gain = ratio @ matrix
        far = gain.max(axis=1) * p.sum(axis=1) - 1 > 1e-12
        curvature = np.divide(ratio, reached, out=np.zeros_like(q), where=q > 0)
        rest, p, gain, curvature = rest[far], p[far], gain[far], curvature[far]
        if not len(rest):
            break
        bend = np.einsum("nk,ki,kj->nij", curvature, matrix, matrix)
        points[rest], prices[rest] = _interior_step(p, prices[rest], gain, bend)
    nearest: Floats = points / points.sum(axis=-1, keepdims=True)
    return nearest.reshape(*given.shape[:-1], m)


def _observed(frequencies: ArrayLike, supervision: ArrayLike) -> tuple[Floats, Floats]:
    """Frequencies (..., k) and the matrix that they were seen through, checked."""
    seen = np.asarray(frequencies, dtype=float)
    require(seen.ndim >= 1, "frequencies must be distributions (..., k)")
    matrix = np.asarray(supervision, dtype=float)
    require(matrix.ndim == 2 and len(matrix) == seen.shape[-1], "supervision must have one row per observation")
    return seen, as_supervision(matrix, matrix.shape[1])


def _interior_step(p: Floats, z: Floats, gain: Floats, bend: Floats) -> tuple[Floats, Floats]:
    """Towards p·z = 0 where 1 − gain = z: along the path on which all products p·z are alike."""
    m = p.shape[1]
    matrix = bend + np.eye(m) * (z / p)[:, None, :]

    def direction(product: Floats | float) -> tuple[Floats, Floats]:
        """The Newton step to p·z = `product`."""
        move = np.linalg.solve(matrix, (gain - 1 + product / p)[..., None])[..., 0]
        return move, (product - z * move) / p - z

    mean = (p * z).mean(axis=1, keepdims=True)
    dp, dz = direction(0.0)
    ahead = ((p + _room(p, dp) * dp) * (z + _room(z, dz) * dz)).mean(axis=1, keepdims=True)
    dp, dz = direction((ahead / mean) ** 3 * mean - dp * dz)
    return p + _room(p, dp) * dp, z + _room(z, dz) * dz


def _room(at: Floats, step: Floats) -> Floats:
    """How much of each row's step leaves it positive; at most all of it."""
    ratio = np.divide(at, -step, out=np.full_like(at, np.inf), where=step < 0)
    room: Floats = np.minimum(1.0, 0.995 * ratio.min(axis=1, keepdims=True))
    return room


def kl_divergence(p: ArrayLike, q: ArrayLike) -> float:
    """KL(p ‖ q), infinite where q misses a state of p."""
    first, second = np.asarray(p, dtype=float), np.asarray(q, dtype=float)
    with np.errstate(divide="ignore"):
        return float(np.sum(xlogy(first, first)) - np.sum(np.where(first > 0, xlogy(first, second), 0.0)))


def stationary_points(
    phi: ArrayLike, supervision: ArrayLike, frequencies: ArrayLike, low: float, high: float, grid: int = 4001
) -> list[tuple[float, str]]:
    """The interior stationary points (θ, "max" or "min") of the log-marginal of a one-parameter family.

    Sign changes of the derivative on a grid over [low, high], refined by Brent's method. Where the curve only
    flattens out, towards ±∞, there is none.
    """
    statistics = as_statistics(phi)
    require(statistics.shape[1] == 1, "phi must have one statistic")
    require(low < high, "low must be below high")
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
) -> tuple[float, float]:
    """(θ, log-marginal) of the highest point of the log-marginal on [low, high], ends included."""
    statistics = as_statistics(phi)
    matrix = as_supervision(supervision, len(statistics))
    points = [low, high]
    points += [theta for theta, _ in stationary_points(phi, supervision, frequencies, low, high, grid)]
    values = log_marginal(statistics, np.array(points)[:, None], matrix, np.asarray(frequencies, dtype=float)[None, :])
    best = int(np.argmax(values))
    return points[best], float(values[best])


def family_curve(phi: ArrayLike, theta: ArrayLike) -> Floats:
    """The points p_θ of a one-parameter family in the simplex, shape (len(theta), m)."""
    statistics = as_statistics(phi)
    grid = np.asarray(theta, dtype=float)
    return probabilities(statistics, as_parameters(grid[:, None], statistics))
