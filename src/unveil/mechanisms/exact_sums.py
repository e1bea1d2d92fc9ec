"""Counts and means with exact noise on whole numbers: fit for real releases.

Each mechanism brings the data to whole numbers first, record by record, so that rounding is part of the data and the
sensitivity of their sum is a whole number without error. Then it adds two-sided geometric noise from
`unveil.mechanisms.exact_sampling`. What follows, scaling back and making counts consistent, is a function of the noisy
whole numbers and of what is public; rounding there tells nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite, sqrt

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.mechanisms.base import ExactMechanism
from unveil.mechanisms.checks import MOVED, check_features, check_neighbours, check_sets, check_steps
from unveil.mechanisms.entropy import RandomBytes
from unveil.mechanisms.exact_sampling import as_level, geometric_variance, level_below, two_sided_geometric
from unveil.mechanisms.operator_tally import LARGEST
from unveil.mechanisms.published_counts import NoisyCounts, Promises
from unveil.types import Array, Floats, as_whole


@dataclass(frozen=True)
class GeometricCounts(ExactMechanism, NoisyCounts):
    """Two-sided geometric noise on every class count: the exact relative of `LaplaceCounts`, (ε, 0)-private.

    P(z) ∝ exp(−ε ``|z|``/2), or exp(−ε ``|z|``) where neighbours are unbounded, drawn without rounding (Canonne et
    al. 2020, algorithm 2): fit for real releases.

    Parameters
    ----------
    epsilon : float
        The level of one label, from 2⁻²⁰ to 20.
    neighbours : {"bounded", "unbounded"}
        Whether neighbours differ in one label, and the total of the counts is public; or in one record that is there or
        not, and the total is private, too. What is unbounded ε-private is bounded 2ε-private.
    testing : bool, default False
        Whether a numpy generator, whose noise can be drawn again, is taken for its randomness.

    Examples
    --------
    A seed is for tests; a real release takes `SecureGenerator()` in the place of `default_rng(0)`, and no `testing`.

    >>> from numpy.random import default_rng
    >>> from unveil import GeometricCounts
    >>> veil = GeometricCounts(0.5, testing=True)
    >>> veil.noisy_counts([120, 80, 300], default_rng(0))
    array([119,  81, 294])
    >>> veil.release([120, 80, 300], default_rng(0)).round(3)
    array([0.242, 0.166, 0.592])
    """

    epsilon: float
    neighbours: str = field(default="bounded", kw_only=True)

    def _check_parameters(self) -> None:
        check_neighbours(self.neighbours)

    @property
    def deviation(self) -> float:
        """That of the two-sided geometric law."""
        return sqrt(geometric_variance(level_below(self.epsilon), MOVED[self.neighbours]))

    def tight_epsilon(self) -> float:
        """The exact level of the noisy counts: `epsilon` rounded down to 20 binary digits."""
        return as_level(level_below(self.epsilon))

    def noisy_counts(self, counts: ArrayLike, rng: RandomBytes) -> Array:
        """Counts of one set, or of one set a row, plus noise: whole numbers, some of them negative."""
        values = check_sets(counts)
        require((values.sum(axis=-1) <= LARGEST).all(), "counts must sum to at most 2^52")
        source, level = self._source(rng), level_below(self.epsilon)
        return as_whole(values, "counts") + two_sided_geometric(values.shape, level, MOVED[self.neighbours], source)

    def promises(self, sizes: Array) -> Promises:
        """The level rounded down; over all counts, consistency takes nothing from it."""
        return super().promises(sizes)._replace(exact_epsilon=self.tight_epsilon())


@dataclass(frozen=True)
class GeometricMeans(ExactMechanism):
    """Means of private records in [lower, upper]^d, rounded to a grid of `steps` steps, with exact noise.

    A record's coordinate becomes a whole number from 0 to `steps` (what lies outside the range is clipped to it), so
    that one record moves a sum by at most `steps`, rounding included, and d of them by d·`steps`.

    Parameters
    ----------
    epsilon : float
        The level of one record, from 2⁻²⁰ to 20.
    lower, upper : float
        The declared range of every coordinate.
    steps : int
        How fine the grid is. Rounding moves a mean by at most (upper − lower)/(2·steps).
    neighbours : {"bounded", "unbounded"}
        Whether neighbours differ in the values of one record, and the number of records is public; or in one record
        that is there or not. Then their number is private, too: a noisy one is released as one more of the sums.
    testing : bool, default False
        Whether a numpy generator, whose noise can be drawn again, is taken for its randomness.

    Examples
    --------
    >>> from numpy.random import default_rng
    >>> from unveil import GeometricMeans
    >>> ages = default_rng(0).uniform(20, 60, (1000, 2))
    >>> ages.mean(axis=0).round(1)
    array([40.2, 39.7])
    >>> GeometricMeans(1.0, lower=0, upper=100, testing=True).release(ages, default_rng(1)).round(1)
    array([39.9, 39.8])

    See Also
    --------
    SecureGenerator : what a real release takes in the place of `default_rng(1)`.
    """

    epsilon: float
    lower: float = 0.0
    upper: float = 1.0
    steps: int = 1 << 10
    neighbours: str = field(default="bounded", kw_only=True)

    def _check_parameters(self) -> None:
        check_neighbours(self.neighbours)
        for name in ("lower", "upper"):
            require(isfinite(getattr(self, name)), f"{name} must be finite: a declared bound")
        require(self.lower < self.upper, "lower must be below upper")
        check_steps(self.steps)

    def tight_epsilon(self) -> float:
        """The exact level, between records in opposite corners: `epsilon` rounded down to 20 binary digits."""
        return as_level(level_below(self.epsilon))

    def sensitivity(self, dimension: int) -> int:
        """How far one record moves the sums in all, in steps of the grid."""
        require(dimension >= 1, "dimension must be at least 1")
        return (dimension + (self.neighbours == "unbounded")) * self.steps

    def noisy_sums(self, values: ArrayLike, rng: RandomBytes) -> Array:
        """Sums (d,) of the records' whole numbers plus noise; `values` is (n, d).

        Where neighbours are unbounded the number of records follows, as a sum of `steps` each, with noise: (d + 1,).
        """
        whole = self._on_grid(values)
        sensitivity = self.sensitivity(whole.shape[1])
        if self.neighbours == "unbounded":
            whole = np.column_stack([whole, np.full(len(whole), self.steps)])
        noise = two_sided_geometric((whole.shape[1],), level_below(self.epsilon), sensitivity, self._source(rng))
        return np.asarray(whole.sum(axis=0) + noise)

    def release(self, values: ArrayLike, rng: RandomBytes) -> Floats:
        """Noisy means (d,) of the rows of `values` (n, d); they may lie outside the range."""
        sums, records = self.noisy_sums(values, rng), float(len(np.asarray(values)))
        if self.neighbours == "unbounded":
            sums, records = sums[:-1], max(float(sums[-1]) / self.steps, 1.0)
        return np.asarray(self.lower + sums / records * ((self.upper - self.lower) / self.steps))

    def _on_grid(self, values: ArrayLike) -> Array:
        records = check_features(values, "values")
        require(len(records) * self.steps <= LARGEST, "steps times the number of records must be below 2^52")
        inside = np.clip(records, self.lower, self.upper)
        share = (inside - self.lower) / (self.upper - self.lower)
        # Clipped again as whole numbers: the sensitivity rests on nothing that could be rounded.
        return np.asarray(np.clip(as_whole(np.rint(share * self.steps), "values"), 0, self.steps))
