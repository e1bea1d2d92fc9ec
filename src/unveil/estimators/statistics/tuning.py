"""Many regularised risks on the same features at once, and the choice of λ without any label that was not released.

Two rules choose λ. One is public: it knows the size of the noise, the numbers of records and features, and nothing of
the data. The other estimates, from what was released, the risk that each λ would lead to, and takes the least:
post-processing, which costs no privacy. Where the release is one vector there are no records to leave out; what
cross-validation estimates there is had by a parametric bootstrap (Efron, 2004, The estimation of prediction error).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from scipy.sparse import issparse

from unveil.errors import require
from unveil.estimators.statistics.losses import LinearOddLoss
from unveil.estimators.statistics.risk import Design
from unveil.numerics.descent import descend
from unveil.types import Array, Floats

#: Rows handled at once.
BLOCK = 1024
#: Of a value in single precision, a rise by this share is rounding; gradients are told apart down to `FINEST`.
ROUNDING, FINEST = 1e-6, 1e-6
MAX_STEPS = 200
#: ASSUME: the standard deviation that the public rule expects of a coefficient learnt with squares from unit records.
SIGNAL = 1.0
#: The bootstrap tries no λ that is smaller than the public rule's by more than this factor.
FARTHEST = 30.0


class Noise(NamedTuple):
    """The covariance of a released mean operator about the truth: `own`·I + `labels`·(1/m)·XᵀX/m.

    `own` is the variance of an entry of added noise, `labels` that of one label's flips (0 where none are flipped).
    """

    own: float
    labels: float


def curvature_at_zero(loss: LinearOddLoss) -> float:
    """The even part's second derivative at 0: λ relative to it means the same for every loss."""
    return float(loss.curvature(np.zeros(1))[0])


def public_l2(loss: LinearOddLoss, noise: Noise, m: int) -> float:
    """λ from public numbers alone: (κ/2)·(σ/τ + v/(mτ²)), with κ the loss's curvature at 0.

    σ is the deviation of an entry's noise, which α, m and the features' bound (√d at most in the 1-norm) set; v is the
    variance of a label, one and what flips add; τ is `SIGNAL`. For a coefficient of prior deviation τ along an axis of
    second moment c, squares are best shrunk by c²/(c² + σ²/τ²) under noise of the statistic alone and by
    c/(c + v/(mτ²)) under that of the labels; c/(c + 2λ/κ) is as much at c = σ/τ for the first, always for the second.
    """
    require(noise.own >= 0 and noise.labels >= 0, "noise must have variances of at least 0")
    ridge = sqrt(noise.own) / SIGNAL + (1 + noise.labels) / (m * SIGNAL**2)
    return curvature_at_zero(loss) / 2 * ridge


def scaled_l2(loss: LinearOddLoss, noise: Noise, features: Any) -> float:
    """The public rule for features, dense or sparse, that are not scaled: as if their longest record had norm one."""
    squares = features.multiply(features) if issparse(features) else features * features
    longest = float(squares.sum(axis=1).max())
    scaled = Noise(noise.own / longest, noise.labels) if longest > 0 else noise
    return public_l2(loss, scaled, features.shape[0]) * (longest or 1.0)


def minimise_together(
    design: Design, loss: LinearOddLoss, statistics: Floats, l2s: Floats, tolerance: float = 1e-6
) -> Floats:
    """The minimiser (k, d) for each statistic (k, d) and its λ (k,).

    In the coordinates of the features' principal axes the Hessian is nearly diagonal, and for squares it is. Single
    precision goes nearly all the way; the tolerance holds in double precision.
    """
    _, axes = design.principal
    require(loss.smoothed is None, f"the {loss.name} loss has a kink: minimise_statistic takes it one by one")
    require(bool(np.all(l2s > 0)), "l2s must be positive")
    rotated = statistics @ axes
    near = _minima(design, loss, rotated, l2s, np.zeros_like(rotated), tolerance)[0]
    if loss.name != "square":
        near = _minima(design, loss, rotated, l2s, near, tolerance, single=False)[0]
    return near @ axes.T


def _minima(
    design: Design,
    loss: LinearOddLoss,
    statistics: Floats,
    l2s: Floats,
    start: Floats,
    tolerance: float,
    *,
    single: bool = True,
) -> tuple[Floats, Floats]:
    """The minimisers (k, d), in principal coordinates, and the mean even part at each (k,)."""
    values = design.principal[0]
    if loss.name == "square":
        found: Floats = statistics / (values + l2s[:, None])
        return found, 1 + np.square(found) @ values

    def risks(points: Floats, rows: Array) -> tuple[Floats, Floats]:
        value, slope = _even_parts(features, loss, points)
        mu, l2 = statistics[rows], l2s[rows]
        value = value - loss.a / 2 * np.einsum("ij,ij->i", points, mu) + l2 * np.einsum("ij,ij->i", points, points)
        return value, slope - loss.a / 2 * mu + 2 * l2[:, None] * points

    features = design.single if single else design.rotated
    scale = 1 / (_mean_curvatures(design, loss, start)[:, None] * values + 2 * l2s[:, None])
    # A little below what is asked for, so that double precision seldom has anything left to do.
    precision = (max(0.9 * tolerance, FINEST), MAX_STEPS, ROUNDING) if single else (tolerance, MAX_STEPS)
    ends = descend(risks, start, scale, *precision)
    linear = loss.a / 2 * statistics - l2s[:, None] * ends.points
    return ends.points, ends.values + np.einsum("kd,kd->k", ends.points, linear)


def _even_parts(rows: Floats, loss: LinearOddLoss, points: Floats) -> tuple[Floats, Floats]:
    """The mean even part (k,) over rows in principal coordinates, in their precision, and its gradient (k, d)."""
    value, slope = np.zeros(len(points)), np.zeros(points.shape)
    turned = np.ascontiguousarray(points.T, dtype=rows.dtype)
    ones = np.ones(BLOCK, dtype=rows.dtype)
    for start in range(0, len(rows), BLOCK):
        block = rows[start : start + BLOCK]
        margins = block @ turned
        value += ones[: len(block)] @ loss.even(margins)
        slope += loss.slope(margins).T @ block
    return value / len(rows), slope / len(rows)


def _mean_curvatures(design: Design, loss: LinearOddLoss, points: Floats) -> Floats:
    """The mean second derivative of the even part at some rows' margins, (k,), kept away from zero."""
    if not points.any():
        return np.full(len(points), curvature_at_zero(loss))
    some = design.rotated[:: max(1, len(design.rotated) // BLOCK)]
    found: Floats = np.maximum(loss.curvature(some @ points.T).mean(axis=0), 1e-3 * curvature_at_zero(loss))
    return found


def risks_without_noise(
    design: Design,
    loss: LinearOddLoss,
    statistics: Floats,
    noises: Sequence[Noise],
    l2s: Sequence[float],
    rng: Generator,
    draws: int = 2,
    tolerance: float = 1e-6,
) -> Floats:
    """Estimates (k, λ) of the risk, without its penalty, that each λ leads to on labels of which nothing was released.

    A parametric bootstrap: the statistic that the public rule's model implies stands for the truth, noise like that of
    the release is drawn about it, and every λ is tried on what comes out, the same draws for all. Noise of the labels
    themselves is among them, with the variance of one that it has at most. A λ far below the public rule's, where noise
    rules, is not tried: its risk is ∞.
    """
    values, axes = design.principal
    k, m = len(statistics), len(design.features)
    ridges = np.array([public_l2(loss, noise, m) for noise in noises])
    rotated = statistics @ axes
    pilots, _ = _minima(design, loss, rotated, ridges, np.zeros_like(rotated), tolerance)
    # Where the public rule's gradient vanishes, the even part's slope says which statistic its θ would be right for.
    implied = rotated - 4 / loss.a * ridges[:, None] * pilots
    own = np.sqrt([[noise.own] for noise in noises])
    labels = np.sqrt([[1 + noise.labels] for noise in noises]) * np.sqrt(values / m)
    shape = (draws, *implied.shape)
    noisy = implied + own * rng.standard_normal(shape) + labels * rng.standard_normal(shape)
    risks, points = np.full((k, len(l2s)), np.inf), np.zeros(shape)
    # From the largest λ down, each from where the last one ended.
    for j in np.argsort(l2s, kind="stable")[::-1]:
        tried = np.flatnonzero(l2s[j] * FARTHEST >= ridges)
        if len(tried):
            seen, start = (array[:, tried].reshape(-1, len(values)) for array in (noisy, points))
            found, even = _minima(design, loss, seen, np.full(len(seen), float(l2s[j])), start, tolerance)
            points[:, tried] = found.reshape(draws, len(tried), -1)
            gain = np.einsum("bkd,kd->bk", points[:, tried], implied[tried])
            risks[tried, j] = (even.reshape(draws, -1) - loss.a / 2 * gain).mean(axis=0)
    return risks
