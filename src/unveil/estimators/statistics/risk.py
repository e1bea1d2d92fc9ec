"""The regularised risk as a function of the mean operator and unlabelled features, and its minimiser.

    L(θ) = (1/m)·Σᵢ even(⟨θ, xᵢ⟩) − (a/2)·⟨θ, μ⟩ + λ‖θ‖²        (Patrini et al. 2016, equation 4 and algorithm 1)

Nothing in it knows a label. A pass over the data for a gradient costs a hundredth of one for a Hessian, so a Hessian is
taken from few rows first and renewed, from more of them, only when progress slows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any

import numpy as np
from scipy import sparse

from unveil.errors import UnveilError, require
from unveil.estimators.statistics.losses import LinearOddLoss
from unveil.numerics.descent import descend, positive_inverses
from unveil.types import Array, Floats, require_moderate

#: Rows handled at once: a block of features then stays in the cache between the margin and the gradient.
BLOCK = 2048
#: Rows per coefficient in the first Hessian: its error is then about the square root of the inverse.
ROWS_PER_COEFFICIENT = 32
#: Steps that shrink the gradient by less than this call for a new Hessian.
SLOW = 0.4
#: What is added to a Hessian's diagonal, relative to its mean, so that redundant columns do no harm.
JITTER = 1e-10
#: A principal axis with less of the features' second moment than this, relative to the largest, is rounding.
FLAT = 1e-12
#: The widths of the smooth stand-ins for a kink, each minimised from where the last one ended.
WIDTHS = tuple(10.0**-k for k in range(9))


@dataclass(frozen=True)
class Design:
    """Unlabelled features, dense or sparse by rows, with what many fits on them can share.

    With `weights`, whose mean is one, every mean over records is a weighted one.
    """

    features: Any
    weights: Floats | None = None

    def __post_init__(self) -> None:
        """A risk over nothing, or over something that is no number, has no minimum."""
        require(self.features.ndim == 2, f"X must have two dimensions, got {self.features.ndim}")
        require(min(self.features.shape) > 0, "X must have at least one row and one column")

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of records and features."""
        rows, columns = self.features.shape
        return rows, columns

    @cached_property
    def _weights(self) -> Floats:
        return np.ones(self.shape[0]) if self.weights is None else self.weights

    def mean(self, values: Floats) -> float:
        """The mean over records."""
        return float(np.mean(values)) if self.weights is None else float(self.weights @ values / len(values))

    def blocks(self) -> Iterator[tuple[slice, Any, Floats]]:
        """Rows that stay in the cache together, and their weights; a sparse matrix as a whole."""
        size = self.shape[0] if sparse.issparse(self.features) else BLOCK
        for start in range(0, self.shape[0], size):
            part = slice(start, start + size)
            yield part, self.features if sparse.issparse(self.features) else self.features[part], self._weights[part]

    @cached_property
    def squares(self) -> Floats:
        """The mean square of each column."""
        if sparse.issparse(self.features):
            return np.asarray(self.features.multiply(self.features).T @ self._weights) / self.shape[0]
        columns: Floats = np.einsum("ij,ij,i->j", self.features, self.features, self._weights)
        return columns / self.shape[0]

    @cached_property
    def second_moment(self) -> Floats:
        """(1/m)·XᵀX."""
        return self._gram(self.features, self._weights)

    @staticmethod
    def _gram(rows: Any, weights: Floats) -> Floats:
        """The mean of w·xxᵀ, dense."""
        roots = np.sqrt(np.maximum(weights, 0.0))
        if sparse.issparse(rows):
            scaled = sparse.diags_array(roots) @ rows
            return np.asarray((scaled.T @ scaled).toarray()) / len(weights)
        scaled = rows * roots[:, None]
        return np.asarray(scaled.T @ scaled) / len(weights)

    @cached_property
    def principal(self) -> tuple[Floats, Floats]:
        """The second moments along the features' principal axes, and these as columns: the features' own span only.

        Whatever a statistic says outside that span is noise, since the labels' part of it is a sum of features.
        """
        values, axes = np.linalg.eigh(self.second_moment)
        inside = values > FLAT * values[-1]
        return values[inside], np.ascontiguousarray(axes[:, inside])

    @cached_property
    def rotated(self) -> Floats:
        """The features in principal coordinates."""
        turned: Floats = self.features @ self.principal[1]
        return turned

    @cached_property
    def single(self) -> Floats:
        """The same in single precision."""
        return self.rotated.astype(np.float32)

    def weighted_gram(self, weights: Floats, stride: int) -> Floats:
        """(1/m)·Xᵀ diag(weights) X, estimated from every `stride`-th row.

        A column too rare for those rows keeps its own size on the diagonal; without it a step along it would be huge.
        """
        gram = self._gram(self.features[::stride], (weights * self._weights)[::stride])
        if stride > 1:
            missing = self.squares * float(np.mean(weights)) - np.diagonal(gram)
            gram[np.diag_indices_from(gram)] += np.maximum(missing, 0.0)
        return gram


@dataclass(frozen=True)
class Point:
    """The risk at one θ."""

    theta: Floats
    value: float
    gradient: Floats
    margins: Floats

    @property
    def norm(self) -> float:
        """The largest entry of the gradient, which the tolerance is about."""
        return float(np.max(np.abs(self.gradient)))


@dataclass(frozen=True)
class StatisticRisk:
    """L above, for one loss, one statistic and one λ."""

    design: Design
    mu: Floats
    loss: LinearOddLoss
    l2: float

    def at(self, theta: Floats) -> Point:
        """Value, gradient and margins in a single pass over the features."""
        m, d = self.design.shape
        if not theta.any():
            # An even function is flat at zero, so at the origin only the statistic pulls, and no pass is needed.
            origin = float(self.loss.even(np.zeros(1))[0])
            return Point(theta, origin, -self.loss.a / 2 * self.mu, np.zeros(m))
        margins, gradient, total = np.empty(m), np.zeros(d), 0.0
        for part, block, weights in self.design.blocks():
            z = block @ theta
            margins[part] = z
            total += float(weights @ self.loss.even(z))
            gradient += block.T @ (weights * self.loss.slope(z))
        half = self.loss.a / 2
        value = total / m - half * float(theta @ self.mu) + self.l2 * float(theta @ theta)
        return Point(theta, value, gradient / m - half * self.mu + 2 * self.l2 * theta, margins)

    def hessian(self, margins: Floats, rows: int) -> Floats:
        """The second derivatives at these margins, (d, d), from about `rows` rows."""
        stride = max(1, len(margins) // rows)
        hessian = self.design.weighted_gram(self.loss.curvature(margins), stride)
        diagonal = np.einsum("ii->i", hessian)
        # ASSUME: where the loss is flat everywhere and λ = 0 any positive matrix will do; the identity is one.
        diagonal += 2 * self.l2 + JITTER * (float(np.mean(diagonal)) + 2 * self.l2) + 1e-14
        return hessian

    def falls_for_ever(self, point: Point) -> bool:
        """Whether the risk has no lower bound along the ray through this θ: a certificate, not a guess.

        L(tθ)/t tends to growth·mean|⟨θ, xᵢ⟩| − (a/2)·⟨θ, μ⟩ if λ = 0. Some θ makes it negative exactly when
        (a/(2·growth))·μ lies outside the zonotope of all (1/m)·Σ sᵢxᵢ with |sᵢ| ≤ 1.
        """
        if self.l2 > 0:
            return False
        size = self.design.mean(np.abs(point.margins))
        rise = self.loss.growth * size if size > 1e-12 * float(np.linalg.norm(point.theta)) else 0.0
        pull = self.loss.a / 2 * float(point.theta @ self.mu)
        return rise < pull * (1 - 1e-9) and pull > 0


@dataclass(frozen=True)
class Minimum:
    """Where a minimisation ended.

    For a convex loss and λ > 0 the value is within `suboptimality` of the least possible: the objective is 2λ-strongly
    convex, so that a gradient g leaves at most ‖g‖²/(4λ).
    """

    theta: Floats
    value: float
    gradient_norm: float
    suboptimality: float
    iterations: int
    converged: bool


def _unbounded(loss: LinearOddLoss) -> UnveilError:
    return UnveilError(
        f"l2 = 0 leaves the {loss.name} risk unbounded below: the statistic mu lies outside what any labels of X "
        "could give (noise does that); choose l2 > 0"
    )


def _minimise_smooth(risk: StatisticRisk, start: Floats, tolerance: float, max_iter: int) -> tuple[Point, int]:
    """Where the risk of a smooth loss is least, and after how many steps."""
    m, d = risk.design.shape
    rows, last = ROWS_PER_COEFFICIENT * d, risk.at(start)

    def at(theta: Floats) -> Point:
        nonlocal last
        if not np.array_equal(theta, last.theta):
            last = risk.at(theta)
        return last

    def objectives(points: Floats, _: Array) -> tuple[Floats, Floats]:
        point = at(points[0])
        if risk.falls_for_ever(point):
            raise _unbounded(risk.loss)
        return np.array([point.value]), point.gradient[None]

    def hessians(points: Floats, _: Array) -> Floats:
        nonlocal rows
        found = risk.hessian(at(points[0]).margins, rows)
        rows = min(8 * rows, m)
        return found[None]

    scale = positive_inverses(hessians(start[None], np.arange(1)))
    found = descend(objectives, start[None], scale, tolerance, max_iter, hessians=hessians, slow=SLOW)
    return at(found.points[0]), found.iterations


def minimise_statistic(
    design: Design, loss: LinearOddLoss, mu: Floats, l2: float, tolerance: float = 1e-10, max_iter: int = 500
) -> Minimum:
    """Minimise the risk from θ = 0; a loss with a kink through smooth stand-ins of shrinking width.

    Raises `UnveilError` where λ = 0 and the risk has no lower bound.
    """
    d = design.shape[1]
    require(mu.shape == (d,), f"mu must have shape ({d},), one number a column of X, got {mu.shape}")
    require_moderate(mu, "mu")
    require(np.isfinite(l2) and l2 >= 0, f"l2 must be a finite number of at least 0, got {l2}")
    theta: Floats = np.zeros(d)
    iterations, excess = 0, 0.0
    for stage in [loss] if loss.smoothed is None else map(loss.smoothed, WIDTHS):
        risk = StatisticRisk(design, mu, stage, l2)
        point, used = _minimise_smooth(risk, theta, tolerance, max_iter)
        theta, iterations = point.theta, iterations + used
        # The stand-in is above the loss by at most this, so its minimum is too.
        excess = float(stage.even(np.zeros(1))[0] - loss.even(np.zeros(1))[0])
    if risk.falls_for_ever(point):
        raise _unbounded(loss)
    value = point.value if loss.smoothed is None else StatisticRisk(design, mu, loss, l2).at(theta).value
    gradient_norm = float(np.linalg.norm(point.gradient))
    certain = loss.convex and l2 > 0
    suboptimality = excess + gradient_norm**2 / (4 * l2) if certain else inf
    return Minimum(theta, value, gradient_norm, suboptimality, iterations, point.norm <= tolerance)
