"""The first of two steps of estimation (Raghunathan et al. 2016, section 6): the distribution nearest to the seen one.

Marginal likelihood minimises KL(q̂ ‖ Sp) over the curved family F. Moments relax this: first a distribution
r̂ over all of the simplex, then its projection onto F, which matches the moments of r̂.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.theory.finite_models import as_supervision
from unveil.types import Floats

#: Ten to twenty interior steps close the gap.
INTERIOR_STEPS = 200


def closest_distributions(frequencies: ArrayLike, supervision: ArrayLike) -> Floats:
    """Minimise KL(q̂ ‖ Sp) over the simplex, the first half of (17), for many samples q̂ (..., k) at once.

    Mehrotra's predictor and corrector, on all samples together: r minimises Σr − Σ_o q̂(o) log (Sr)(o) over r ≥ 0,
    where it sums to one. Some twenty steps do, where EM needs 10⁵ and more if S tells its states badly apart, or r(y)
    is 0 for a state whose multiplier is 0, too. At the end the duality gap max_y Σ_o q̂(o) S(o | y)/(Sp)(o) − 1, which
    bounds the excess, is below 1e-12.
    """
    given, matrix = as_frequencies(frequencies, supervision)
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


def as_frequencies(frequencies: ArrayLike, supervision: ArrayLike) -> tuple[Floats, Floats]:
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
    return np.asarray(np.minimum(1.0, 0.995 * ratio.min(axis=1, keepdims=True)))
