"""Counts, means and mean operators with exact noise on whole numbers: fit for real releases.

Each mechanism brings the data to whole numbers first, record by record, so that rounding is part of the data and the
sensitivity of their sum is a whole number without error. Then it adds two-sided geometric noise from
`unveil.mechanisms.exact_sampling`. What follows, scaling back and making counts consistent, is a function of the noisy
whole numbers and of what is public; rounding there tells nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import is_real, is_whole, require
from unveil.mechanisms.checks import MOVED, check_neighbours, checked_counts, checked_sets, released_total
from unveil.mechanisms.entropy import RandomBytes, checked_source
from unveil.mechanisms.exact_sampling import as_level, check_level, level_below, two_sided_geometric
from unveil.mechanisms.mean_operator import checked_features, checked_signs
from unveil.numerics.simplex import nearest_proportions
from unveil.types import Array, Floats

#: Whole numbers up to here are exact as doubles, and so are sums of them below 2⁵³.
LARGEST = 1 << 52


@dataclass(frozen=True)
class GeometricCounts:
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
    array([118,  83, 302])
    >>> veil.release([120, 80, 300], default_rng(0)).round(3)
    array([0.234, 0.164, 0.602])

    See Also
    --------
    LaplaceCounts, SecureGenerator
    """

    fit_for_release: ClassVar[bool] = True

    epsilon: float
    neighbours: str = field(default="bounded", kw_only=True)
    testing: bool = field(default=False, repr=False, kw_only=True)

    def __post_init__(self) -> None:
        """Check the level."""
        check_level(self.epsilon)
        check_neighbours(self.neighbours)

    @property
    def claimed_epsilon(self) -> float:
        """The level asked for."""
        return float(self.epsilon)

    def tight_epsilon(self) -> float:
        """The exact level of the noisy counts: `epsilon` rounded down to 20 binary digits."""
        return as_level(level_below(self.epsilon))

    def noisy_counts(self, counts: ArrayLike, rng: RandomBytes) -> Array:
        """Counts of one set, or of one set a row, plus noise: whole numbers, some of them negative."""
        values = checked_sets(counts)
        require((values.sum(axis=-1) <= LARGEST).all(), "counts must sum to at most 2^52")
        source = checked_source(rng, self.testing)
        noise = two_sided_geometric(values.shape, level_below(self.epsilon), MOVED[self.neighbours], source)
        return values.astype(np.int64) + noise

    def release(self, counts: ArrayLike, rng: RandomBytes) -> Array:
        """Noisy counts, made consistent by constrained least squares, as proportions.

        Parameters
        ----------
        counts : array of shape (classes,) or (sets, classes)
            The private class counts.
        rng : SecureGenerator or numpy.random.Generator
            The source of the noise; the latter only with `testing`.

        Returns
        -------
        array of the shape of `counts`
            Proportions, ≥ 0 with sum one.
        """
        noisy = self.noisy_counts(counts, rng)
        return nearest_proportions(noisy, released_total(np.asarray(counts, dtype=float), noisy, self.neighbours))

    def true_delta(self, counts: ArrayLike) -> float:
        """Zero: pure ε-privacy."""
        checked_counts(counts)
        return 0.0


@dataclass(frozen=True)
class GeometricMeans:
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
    array([40.7, 40.2])

    See Also
    --------
    SecureGenerator : what a real release takes in the place of `default_rng(1)`.
    """

    fit_for_release: ClassVar[bool] = True

    epsilon: float
    lower: float = 0.0
    upper: float = 1.0
    steps: int = 1 << 10
    neighbours: str = field(default="bounded", kw_only=True)
    testing: bool = field(default=False, repr=False, kw_only=True)

    def __post_init__(self) -> None:
        """Check the parameters."""
        check_level(self.epsilon)
        check_neighbours(self.neighbours)
        for name in ("lower", "upper"):
            bound = getattr(self, name)
            require(is_real(bound), f"{name} must be a number, not {bound!r}")
            require(isfinite(bound), f"{name} must be finite: a declared bound")
        require(self.lower < self.upper, "lower must be below upper")
        require(isfinite(self.upper - self.lower), "upper - lower must be finite")
        _check_steps(self.steps)

    @property
    def claimed_epsilon(self) -> float:
        """The level asked for."""
        return float(self.epsilon)

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
        source = checked_source(rng, self.testing)
        noise = two_sided_geometric((whole.shape[1],), level_below(self.epsilon), sensitivity, source)
        return np.asarray(whole.sum(axis=0) + noise)

    def release(self, values: ArrayLike, rng: RandomBytes) -> Floats:
        """Noisy means (d,) of the rows of `values` (n, d); they may lie outside the range."""
        sums, records = self.noisy_sums(values, rng), float(len(np.asarray(values)))
        if self.neighbours == "unbounded":
            sums, records = sums[:-1], max(float(sums[-1]) / self.steps, 1.0)
        means: Floats = self.lower + sums / records * ((self.upper - self.lower) / self.steps)
        return means

    def _on_grid(self, values: ArrayLike) -> Array:
        records = checked_features(values, "values")
        require(len(records) * self.steps <= LARGEST, "steps times the number of records must be below 2^52")
        inside = np.clip(records, self.lower, self.upper)
        share = (inside - self.lower) / (self.upper - self.lower)
        # Clipped again as whole numbers: the sensitivity rests on nothing that could be rounded.
        return np.asarray(np.clip(np.rint(share * self.steps).astype(np.int64), 0, self.steps))


@dataclass(frozen=True)
class GeometricMeanOperator:
    """The mean operator of private labels with exact noise: `MeanOperatorRelease` for real releases.

    The features are public, and with them who is there: neighbours differ in one label, never in a record. Features are
    rounded to whole multiples of a grid of `steps` steps up to the largest entry, and the sum over the records with
    label +1 gets noise for the largest 1-norm of a rounded record. From that sum, and from the public sum over all
    records, follows the mean operator of the rounded features.

    Parameters
    ----------
    alpha : float
        The level of one label, from 2⁻²⁰ to 20.
    steps : int
        How fine the grid is. Rounding moves an entry of the mean operator by at most 1/(2·steps) of the largest entry.
    testing : bool, default False
        Whether a numpy generator, whose noise can be drawn again, is taken for its randomness.

    Attributes
    ----------
    noise : str
        "geometric": what a release file calls this noise.

    Examples
    --------
    >>> import numpy as np
    >>> from numpy.random import default_rng
    >>> from unveil import GeometricMeanOperator, mean_operator
    >>> X = np.tile([[0.6, 0.8], [1.0, 0.0], [0.0, 1.0], [0.8, -0.6]], (50, 1))
    >>> y = np.tile([1, 1, -1, 1], 50)
    >>> mean_operator(X, y)
    array([ 0.6, -0.2])
    >>> GeometricMeanOperator(1.0, testing=True).release(X, y, default_rng(0)).round(3)
    array([ 0.587, -0.2  ])

    See Also
    --------
    MeanOperator : the file of a release.
    MeanOperatorClassifier : learns from it.
    SecureGenerator : what a real release takes in the place of `default_rng(0)`.
    """

    fit_for_release: ClassVar[bool] = True
    noise: ClassVar[str] = "geometric"

    alpha: float
    steps: int = 1 << 10
    testing: bool = field(default=False, repr=False, kw_only=True)

    def __post_init__(self) -> None:
        """Check the parameters."""
        check_level(self.alpha, "alpha")
        _check_steps(self.steps)

    @property
    def claimed_epsilon(self) -> float:
        """The level asked for."""
        return float(self.alpha)

    def tight_epsilon(self, X: ArrayLike) -> float:
        """The exact level at these features: `alpha` rounded down, or zero where all features are."""
        return as_level(level_below(self.alpha)) if np.any(checked_features(X)) else 0.0

    def scale_at(self, X: ArrayLike) -> float:
        """The scale of the noise on each entry of the released mean operator."""
        whole, unit = self._on_grid(X)
        return float(2 * self._sensitivity(whole) / level_below(self.alpha)) * unit / len(whole)

    def release(self, X: ArrayLike, y: ArrayLike, rng: RandomBytes) -> Floats:
        """The noisy mean operator, which may be published.

        Parameters
        ----------
        X : array of shape (n, d)
            The public features.
        y : array of shape (n,)
            The private labels, −1 or +1.
        rng : SecureGenerator or numpy.random.Generator
            The source of the noise; the latter only with `testing`.

        Returns
        -------
        array of shape (d,)
            μ of the rounded features, plus noise.
        """
        return np.asarray(self.release_many(X, y, 1, rng)[0])

    def release_many(self, X: ArrayLike, y: ArrayLike, n: int, rng: RandomBytes) -> Floats:
        """`n` independent releases, one a row, for audits: together they cost n times the level."""
        whole, unit = self._on_grid(X)
        chosen = checked_signs(y, len(whole)) > 0
        shape = n, whole.shape[1]
        noise = two_sided_geometric(
            shape, level_below(self.alpha), self._sensitivity(whole), checked_source(rng, self.testing)
        )
        noisy = np.where(chosen[:, None], whole, 0).sum(axis=0) + noise
        mu: Floats = (2 * noisy - whole.sum(axis=0)) * (unit / len(whole))
        return mu

    def _on_grid(self, X: ArrayLike) -> tuple[Array, float]:
        """Whole numbers, and what one of them stands for."""
        features = checked_features(X)
        require(len(features) * self.steps <= LARGEST, "steps times the number of records must be below 2^52")
        top = float(np.abs(features).max())
        unit = top / self.steps
        require(top == 0 or unit > 0, "X must not be so small that a step of its grid is zero")
        share = features / top if top > 0 else features
        return np.rint(share * self.steps).astype(np.int64), unit

    @staticmethod
    def _sensitivity(whole: Array) -> int:
        return max(int(np.abs(whole).sum(axis=1).max()), 1)


def _check_steps(steps: int) -> None:
    require(is_whole(steps) and 1 <= steps <= 1 << 20, "steps must be a whole number between 1 and 1,048,576")
