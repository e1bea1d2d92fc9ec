"""What is used today to release a bounded vector under local privacy: sampled coordinates, or a random direction.

All of them release an unbiased estimate of the vector itself, so that a sum needs no debiasing. They draw in floating
point, for simulation only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache
from math import exp, expm1, lgamma, log, log1p, pi, sqrt

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.mechanisms.base import Mechanism
from unveil.mechanisms.checks import check_epsilon
from unveil.mechanisms.entropy import require_generator
from unveil.types import Array, Floats, as_numbers, require_finite

#: Up to this level the hybrid is Duchi's two points alone (Wang et al. 2019, lemma 3).
TWO_POINTS_UP_TO = 0.61
#: A threshold of more deviations than this keeps no direction that could be drawn.
STEEPEST = 12.0
#: Entries turned at once: they stay in the second-level cache from one product to the next.
BLOCK = 1 << 15


class VectorRelease(Mechanism, ABC):
    """A mechanism on vectors, one a record: an unbiased estimate of each leaves its owner."""

    epsilon: float

    def tight_epsilon(self) -> float:
        """The exact level of a record: `epsilon` itself, by which two answers differ in their likelihood."""
        return self.epsilon

    @abstractmethod
    def release(self, stats: ArrayLike, rng: Generator) -> Floats:
        """Unbiased estimates of the rows of `stats`, (n, d)."""

    @abstractmethod
    def deviation(self, dimension: int) -> float:
        """A bound on the root mean square of a released entry."""

    def _rows(self, stats: ArrayLike, rng: Generator) -> Array:
        require_generator(rng, type(self).__name__)
        rows = as_numbers(stats, "stats")
        require_finite(rows, "stats")
        require(rows.ndim == 2 and rows.shape[1] >= 2, "stats must hold vectors of at least two entries, one a row")
        return rows


@dataclass(frozen=True)
class SampledCoordinates(VectorRelease):
    """Release k of d coordinates, drawn without replacement, each by the piecewise mechanism at ε/k.

    Algorithms 2 to 4 of Wang et al. (2019), Collecting and Analyzing Multidimensional Data with Local Differential
    Privacy, ICDE; k = max(1, min(d, ⌊ε/2.5⌋)).

    Parameters
    ----------
    epsilon : float
        The exact level of a record.
    kind : {"piecewise", "hybrid"}
        Whether a coordinate goes through the piecewise mechanism, or by a coin through that or Duchi's two points.

    Examples
    --------
    >>> import numpy as np
    >>> from unveil import SampledCoordinates
    >>> vectors = np.tile([0.5, -0.25], (100_000, 1))
    >>> SampledCoordinates(4.0).release(vectors, np.random.default_rng(0)).mean(axis=0).round(1)
    array([ 0.5, -0.2])

    See Also
    --------
    SphereRelease : a random direction instead.
    CoordinateRelease : one coordinate as a bit.
    """

    epsilon: float
    kind: str = "piecewise"

    def _check_parameters(self) -> None:
        check_epsilon(self.epsilon)
        require(self.kind in ("piecewise", "hybrid"), f"kind must be 'piecewise' or 'hybrid', not {self.kind!r}")

    def sampled(self, dimension: int) -> int:
        """k, how many coordinates a record releases."""
        return max(1, min(dimension, int(self.epsilon / 2.5)))

    def release(self, stats: ArrayLike, rng: Generator) -> Floats:
        """Unbiased estimates of the rows of `stats`, with entries in [−1, 1]: (n, d), of each row k are not 0."""
        rows = self._rows(stats, rng)
        require(bool((np.abs(rows) <= 1).all()), "stats must have entries in [-1, 1]")
        n, d = rows.shape
        k, released = self.sampled(d), np.zeros(rows.shape)
        chosen = rng.integers(d, size=(n, 1)) if k == 1 else rng.random(rows.shape).argpartition(k - 1, axis=1)[:, :k]
        values = self._perturb(np.take_along_axis(rows, chosen, axis=1).astype(float), self.epsilon / k, rng)
        np.put_along_axis(released, chosen, values * d / k, axis=1)
        return released

    def deviation(self, dimension: int) -> float:
        """That of an entry at the end of its range."""
        k = self.sampled(dimension)
        level, points = self.epsilon / k, self._points(self.epsilon / k)
        root = expm1(level / 2)
        square = (1 - points) * (1 + 1 / root + (root + 4) / (3 * root**2)) + points / np.tanh(level / 2) ** 2
        return float(sqrt(dimension / k * square))

    def _points(self, level: float) -> float:
        """How often Duchi's two points are taken."""
        if self.kind == "piecewise":
            return 0.0
        return exp(-level / 2) if level > TWO_POINTS_UP_TO else 1.0

    def _perturb(self, values: Floats, level: float, rng: Generator) -> Floats:
        """Near the value with probability s/(s + 1), s = e^(level/2), else anywhere else on [−C, C]."""
        s = exp(level / 2)
        most = (s + 1) / (s - 1)
        left, width = (most + 1) / 2 * values - (most - 1) / 2, most - 1
        near, uniform = rng.random(values.shape) < s / (s + 1), rng.random(values.shape)
        far = uniform * (most + 1) - most
        released: Floats = np.where(near, left + uniform * width, far + width * (far > left))
        if self.kind == "hybrid":
            ends = np.where(rng.random(values.shape) < (1 + values * np.tanh(level / 2)) / 2, 1, -1) / np.tanh(
                level / 2
            )
            released = np.where(rng.random(values.shape) < self._points(level), ends, released)
        return released


@dataclass(frozen=True)
class SphereRelease(VectorRelease):
    """Release a random direction that leans towards the vector: PrivUnit, or the mechanism of Duchi et al. for balls.

    A vector shorter than `radius` is stretched to it, forwards or backwards, so that it is right on average. Of a unit
    vector u the answer is uniform on the cap ⟨v, u⟩ ≥ γ with a probability p, else on the rest of the sphere, and
    scaled. The caps have a share c of the sphere: the level is log(p/c) − log((1 − p)/(1 − c)), which any two different
    directions attain. Without `threshold` γ is the one of least variance (Bhowmick et al. 2018, Protection against
    reconstruction, algorithm 1; Asi, Feldman and Talwar 2022); 0 gives Duchi, Jordan and Wainwright (2018), (26).

    Parameters
    ----------
    epsilon : float
        The exact level of a record.
    radius : float
        The largest norm of a vector.
    threshold : float, optional
        γ, the cosine at which the cap ends; the best one by default.

    Examples
    --------
    >>> import numpy as np
    >>> from unveil import SphereRelease
    >>> vectors = np.tile([0.6, -0.8, 0.0], (100_000, 1))
    >>> SphereRelease(4.0).release(vectors, np.random.default_rng(0)).mean(axis=0).round(1) + 0.0
    array([ 0.6, -0.8,  0. ])

    See Also
    --------
    SampledCoordinates : for entries with bounds of their own.
    """

    epsilon: float
    radius: float = 1.0
    threshold: float | None = None

    def _check_parameters(self) -> None:
        check_epsilon(self.epsilon)
        require(0 < self.radius < np.inf, "radius must be positive and finite")
        require(self.threshold is None or 0 <= self.threshold < 1, "threshold must lie in [0, 1)")

    def release(self, stats: ArrayLike, rng: Generator) -> Floats:
        """Unbiased estimates of the rows of `stats`, (n, d), of norm `radius` at most."""
        rows = self._rows(stats, rng)
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=float))
        require(bool((lengths <= self.radius * (1 + 1e-6)).all()), "stats must have rows of norm radius at most")
        n, d = rows.shape
        cosine, share, mean = self.cap(d)
        signs = np.where(rng.random(n) < (1 + lengths / self.radius) / 2, 1.0, -1.0)
        factors = signs / np.maximum(lengths, 1e-300)
        directions = rng.standard_normal((n, d))
        chance = share * exp(self.epsilon) / (1 + share * expm1(self.epsilon))
        inside = np.asarray(rng.random(n) < chance)
        # At a threshold of 0 the direction's own height, turned to its side.
        heights = None if cosine == 0 else _heights(inside, np.asarray(rng.random(n)), share, d)
        step = max(1, BLOCK // d)
        for part in (slice(start, start + step) for start in range(0, n, step)):
            units = rows[part] * factors[part, None]
            units[lengths[part] == 0, 0] = 1.0
            turned = directions[part]
            along = np.einsum("ij,ij->i", turned, units)
            turned -= along[:, None] * units
            across = np.sqrt(np.einsum("ij,ij->i", turned, turned))
            if heights is None:
                height = np.where(inside[part], 1, -1) * np.abs(along) / np.hypot(along, across)
            else:
                height = heights[part]
            turned *= (np.sqrt(1 - height**2) / across * (self.radius / mean))[:, None]
            turned += (height * (self.radius / mean))[:, None] * units
        return directions

    def deviation(self, dimension: int) -> float:
        """Every answer has the same norm."""
        return self.radius / self.cap(dimension)[2] / sqrt(dimension)

    def cap(self, dimension: int) -> tuple[float, float, float]:
        """γ, the cap's share c of the sphere, and E⟨v, u⟩."""
        return _cap(self.epsilon, dimension, self.threshold)


def _heights(inside: Array, uniforms: Floats, share: float, d: int) -> Floats:
    """⟨v, u⟩ of directions in the cap and in the rest: quantiles of its law on the sphere, (1 + t)/2 ~ Beta."""
    from scipy.special import betaincinv  # imported late: other mechanisms need none of it

    tails = np.where(inside, uniforms * share, share + uniforms * (1 - share))
    return np.asarray(1 - 2 * betaincinv((d - 1) / 2, (d - 1) / 2, tails))


@cache
def _cap(epsilon: float, d: int, threshold: float | None) -> tuple[float, float, float]:
    from scipy.optimize import minimize_scalar  # imported late: other mechanisms need none of it
    from scipy.special import betainc

    def at(cosine: float) -> tuple[float, float, float]:
        share = float(betainc((d - 1) / 2, (d - 1) / 2, (1 - cosine) / 2))
        # E[t; t ≥ γ] on the sphere, times what the cap's density exceeds the rest's by.
        outer = lgamma(d / 2) - lgamma((d - 1) / 2) - log(pi) / 2 + (d - 1) / 2 * log1p(-(cosine**2)) - log(d - 1)
        return cosine, share, exp(outer) * expm1(epsilon) / (1 + share * expm1(epsilon))

    if threshold is not None:
        return at(threshold)
    top = min(1 - 1e-9, STEEPEST / sqrt(d))
    return at(float(minimize_scalar(lambda cosine: -log(at(cosine)[2]), bounds=(0, top), method="bounded").x))
