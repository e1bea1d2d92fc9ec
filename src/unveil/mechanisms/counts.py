"""Mechanisms that publish the class proportions of private labels (Iyer et al. 2016, section 3).

Each one takes the class counts η of one set, or of one set a row, and returns proportions in the simplex.
Two data sets are neighbours if one label differs: a count falls by one and another grows by one, and the
total m is public. All of them draw in floating point, for simulation only, but for `GaussianCounts(exact=True)`;
`GeometricCounts` is for real releases, too. Those that draw from a Dirichlet have a module of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.mechanisms.checks import MOVED, check_counts, check_demand, check_epsilon, check_neighbours, check_sets
from unveil.mechanisms.exact_gaussian import discrete_gaussian
from unveil.mechanisms.published_counts import NoisyCounts, Promises, PublishedCounts, share_variance
from unveil.privacy.count_noise import (
    L1_SENSITIVITY,
    classic_gaussian_deviation,
    gaussian_count_delta,
    gaussian_count_deviation,
    subsample_delta,
)
from unveil.privacy.discrete_gaussian import discrete_gaussian_delta, discrete_gaussian_variance
from unveil.types import Array, as_whole


@dataclass(frozen=True)
class LaplaceCounts(NoisyCounts):
    """Laplace noise of scale 2/ε on every count, then the nearest counts that are ≥ 0 and sum to m.

    The release is (ε, 0)-private (a baseline of Iyer et al. 2016, section 4.1). For simulation only.

    Parameters
    ----------
    epsilon : float
        ε, the level of one label.

    Examples
    --------
    >>> from numpy.random import default_rng
    >>> from unveil import LaplaceCounts
    >>> LaplaceCounts(0.5).release([120, 80, 300], default_rng(0)).round(3)
    array([0.25 , 0.163, 0.587])

    See Also
    --------
    GeometricCounts : exact noise, for real releases.
    ScaledDirichlet : less distortion at small ε.
    """

    epsilon: float

    def _check_parameters(self) -> None:
        check_epsilon(self.epsilon)

    @property
    def deviation(self) -> float:
        """That of the Laplace law."""
        return sqrt(2) * L1_SENSITIVITY / self.epsilon

    def noisy_counts(self, counts: ArrayLike, rng: Generator) -> Array:
        """Counts of one set, or of one set a row, plus noise."""
        values = check_sets(counts)
        return values + rng.laplace(scale=L1_SENSITIVITY / self.epsilon, size=values.shape)


@dataclass(frozen=True)
class GaussianCounts(NoisyCounts):
    """Gaussian noise on every count, made consistent as in `LaplaceCounts`: (ε, δ)-private.

    A baseline of Iyer et al. (2016), section 4.1. For simulation only, unless it is exact.

    Parameters
    ----------
    epsilon, delta : float
        The demanded guarantee for one label.
    kind : {"classic", "analytic"}
        The calibration: the textbook's, proven for ε < 1 (Dwork and Roth 2014, theorem A.1), or the exact one (Balle
        and Wang 2018, theorem 8).
    exact : bool
        Draw whole numbers from the discrete Gaussian law without rounding (Canonne et al. 2020), at the smallest whole
        variance whose exact δ at ε is at most δ, whatever `kind` is: fit for real releases.
    neighbours : {"bounded", "unbounded"}
        Of exact noise, as in `GeometricCounts`: whether the total is public or private.
    testing : bool, default False
        Whether exact noise takes a numpy generator, with which it can be drawn again.

    Examples
    --------
    The exact calibration asks for less noise:

    >>> from numpy.random import default_rng
    >>> from unveil import GaussianCounts
    >>> [round(GaussianCounts(0.5, 1e-3, kind).deviation, 2) for kind in ("classic", "analytic")]
    [10.68, 6.52]
    >>> GaussianCounts(0.5, 1e-3, "analytic").release([120, 80, 300], default_rng(0)).round(3)
    array([0.239, 0.156, 0.606])

    For a real release, with `SecureGenerator()` in the place of `default_rng(0)` and no `testing`:

    >>> veil = GaussianCounts(0.5, 1e-3, exact=True, testing=True)
    >>> veil.fit_for_release, veil.true_delta([120, 80, 300]) <= 1e-3
    (True, True)
    >>> veil.noisy_counts([120, 80, 300], default_rng(0))
    array([117,  82, 299])

    See Also
    --------
    GeometricCounts : exact noise with δ = 0.
    """

    epsilon: float
    delta: float
    kind: str = "classic"
    exact: bool = False
    neighbours: str = field(default="bounded", kw_only=True)
    testing: bool = field(default=False, repr=False, kw_only=True)

    def _check_parameters(self) -> None:
        check_demand(self.epsilon, self.delta)
        require(self.kind in ("classic", "analytic"), f"kind must be 'classic' or 'analytic', not {self.kind!r}")
        require(isinstance(self.exact, bool), f"exact must be true or false, not {self.exact!r}")
        check_neighbours(self.neighbours)
        bounded = self.neighbours == "bounded"
        require(self.exact or bounded, "neighbours can be 'unbounded' for exact noise only")
        require(
            self.exact or self.kind == "analytic" or self.epsilon < 1,
            "kind 'classic' is proven for epsilon below 1 only",
        )
        if self.exact:
            # From here up σ is at most some ten million.
            require(self.epsilon >= 1e-5 and self.delta >= 1e-30, "epsilon must be at least 1e-5 and delta 1e-30")
            object.__setattr__(self, "fit_for_release", True)

    @cached_property
    def deviation(self) -> float:
        """The standard deviation of the noise; of exact noise, the σ of its law."""
        if self.exact:
            return sqrt(self._variance)
        if self.kind == "classic":
            return classic_gaussian_deviation(self.epsilon, self.delta)
        return gaussian_count_deviation(self.epsilon, self.delta)

    @property
    def _variance(self) -> int:
        return discrete_gaussian_variance(self.epsilon, self.delta, MOVED[self.neighbours])

    def noisy_counts(self, counts: ArrayLike, rng: Generator) -> Array:
        """Counts of one set, or of one set a row, plus noise; with exact noise whole numbers, some of them negative."""
        values = check_sets(counts)
        if not self.exact:
            return values + rng.normal(scale=self.deviation, size=values.shape)
        return as_whole(values, "counts") + discrete_gaussian(values.shape, self._variance, self._source(rng))

    @property
    def _exact_delta(self) -> float:  # type: ignore[override]
        if self.exact:
            return discrete_gaussian_delta(self._variance, self.epsilon, MOVED[self.neighbours])
        return gaussian_count_delta(self.deviation, self.epsilon)


@dataclass(frozen=True)
class SubsampleCounts(PublishedCounts):
    """The proportions among ⌊δm⌋ members drawn without replacement: (0, δ)-private.

    The yardstick at a large δ: most labels are not used at all. For simulation only.

    Parameters
    ----------
    delta : float
        δ, the largest share of the labels that is published, in (0, 1).

    Examples
    --------
    >>> from numpy.random import default_rng
    >>> from unveil import SubsampleCounts
    >>> veil = SubsampleCounts(0.1)
    >>> veil.size([120, 80, 300])
    50
    >>> veil.release([120, 80, 300], default_rng(0))
    array([0.2, 0.2, 0.6])
    """

    delta: float
    claimed_epsilon = 0.0

    def _check_parameters(self) -> None:
        require(0 < self.delta < 1, f"delta must lie strictly between 0 and 1, not {self.delta}")

    def size(self, counts: ArrayLike) -> int:
        """How many labels are published: each is among them with probability at most δ."""
        total = float(check_counts(counts).sum())
        members = int(self._sizes(np.array(total)))
        require(members >= 1, f"delta must be at least one over the number of labels, {total:.0f}")
        return members

    def _sizes(self, totals: Array) -> Array:
        return np.floor(self.delta * totals * (1 + 1e-12))

    def release(self, counts: ArrayLike, rng: Generator) -> Array:
        """The class proportions of the subsample, of one set or of one set a row."""

        def draw(kind: Array, sets: int) -> Array:
            size = self.size(kind)
            return rng.multivariate_hypergeometric(as_whole(kind, "counts"), size, size=sets) / size

        return release_by_kind(counts, draw)

    def true_delta(self, counts: ArrayLike, epsilon: float = 0.0) -> float:
        """The exact δ of the subsample at ε; at ε = 0 at most δ, as much only where the label is alone in its class."""
        return subsample_delta(check_counts(counts), self.size(counts), epsilon)

    def promises(self, sizes: Array) -> Promises:
        """A label that is alone in its class shows whenever it is drawn."""
        return Promises(0.0, self.delta, 0.0, float((self._sizes(sizes) / sizes).max()))

    def noise_of(self, proportions: Array, sizes: Array) -> Array:
        """That of drawing without replacement."""
        drawn, others = self._sizes(sizes), np.maximum(sizes - 1, 1)
        return np.asarray(np.sqrt(share_variance(proportions) / drawn * (sizes - drawn) / others))


def release_by_kind(counts: ArrayLike, draw: Callable[[Array, int], Array]) -> Array:
    """`draw(kind, sets)` for each kind of counts among the rows, put back in the rows' order."""
    rows = np.atleast_2d(check_sets(counts))
    kinds, which = find_kinds(rows)
    released = np.empty(rows.shape)
    for k, kind in enumerate(kinds):
        mine = which == k
        released[mine] = draw(kind, int(mine.sum()))
    return released.reshape(np.shape(counts))


def find_kinds(rows: Array) -> tuple[Array, Array]:
    """The different rows, and for each row the number of its kind."""
    if len(rows) and (rows == rows[0]).all():  # the same counts many times over need not be sorted
        return rows[:1], np.zeros(len(rows), dtype=np.intp)
    kinds, which = np.unique(rows, axis=0, return_inverse=True)
    return kinds, which.ravel()
