"""Second moments of private records with exact noise on their sums: what a holder of the whole table releases.

A record becomes z = (features, 1, target) on a grid: a number in a public range one of the whole numbers from −`steps`
to `steps`, a category a vector of zeros with one `steps`. Released are the sums of all products z_i·z_j, i ≤ j,
with noise for the whole record. How far one moves them, in steps²:

- numbers, the constant and the target, m in all: half of the table of |zzᵀ − z′z′ᵀ| is at most m²/2. For z = a + b and
  z′ = a − b the table is 2|abᵀ + baᵀ|, and |a_i| + |b_i| = max(|z_i|, |z′_i|) ≤ 1, so that its sum is at most 4AB with
  A + B ≤ m. Squares are on the table's diagonal: half of one counts, so they get noise of twice the scale.
- categories, C columns: of the products of one with a number, or with another, all are zero but one, of size at most 1;
  so they move by at most 2: 2Cm + C(C − 1) in all.
- by the 2-norm: ‖zzᵀ − z′z′ᵀ‖² = ‖z‖⁴ + ‖z′‖⁴ − 2(zᵀz′)² ≤ 2(m + C)², of which half counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, log, log1p
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from unveil.errors import is_whole, require
from unveil.mechanisms.base import ExactMechanism, describe_randomness
from unveil.mechanisms.batches import Data, cut_batches
from unveil.mechanisms.bits import all_within, as_block
from unveil.mechanisms.checks import check_classes, check_steps, find_positives
from unveil.mechanisms.entropy import RandomBytes
from unveil.mechanisms.exact_gaussian import discrete_gaussian
from unveil.mechanisms.exact_sampling import LARGEST_SCALE, as_level, geometric_variance, two_sided_geometric
from unveil.mechanisms.operator_tally import LARGEST
from unveil.numerics.columns import public_products, require_categories
from unveil.protocols.base import Budget, Release
from unveil.types import Array, as_reals, as_whole


class MomentTally:
    """Σ zzᵀ of whole records, without noise: as private as they are. Tallies of the same columns merge.

    Parameters
    ----------
    steps : int
        Of the grid, from zero to the end of a range.
    columns : sequence of int
        How many features each column makes: one, or a category's several. By default every feature is a number.
    classes : pair, optional
        What the target's two classes are called; by default it is a number in [0, 1].
    """

    def __init__(self, steps: int, columns: Sequence[int] | None = None, classes: Sequence[Any] | None = None) -> None:
        self.steps, self.classes = steps, None if classes is None else check_classes(classes)
        self.columns = None if columns is None else [int(width) for width in columns]
        require(columns is None or all(is_whole(width) and width >= 1 for width in columns), "columns must be widths")
        self.rows = 0
        self.sums: Array = np.zeros((2, 2), dtype=np.int64)

    def take(self, data: Data) -> Self:
        """Count in all records of (X, y), or of an iterable of such pairs."""
        for X, y in cut_batches(data):
            if self.columns is None:
                self.columns = [1] * X.shape[1]
            require((self.rows + len(X)) * self.steps**2 <= LARGEST, "steps² times the records must be below 2^52")
            own = self._to_grid(as_block(X), y, self.columns)
            # Whole numbers below 2⁵³ in all: in whatever order they are added, the sums are exact.
            found = as_whole(own.T @ own, "sums")
            self.sums, self.rows = found + (self.sums if self.rows else 0), self.rows + len(X)
        return self

    def _to_grid(self, X: Array, y: Array, columns: list[int]) -> Array:
        """Z of each record, in steps."""
        require_categories(X, columns)
        numbers = np.repeat(np.equal(columns, 1), columns)
        d, steps = X.shape[1], float(self.steps)
        scale, shift = np.where(numbers, 2 * steps, steps), np.where(numbers, steps, 0.0)
        require(all_within(X, 0.0, 1.0), "X must lie in [0, 1]: scale it by a public range")
        grid = np.empty((len(X), d + 2))
        # In place: on a table of millions of records each copy takes its time.
        own = np.multiply(X, scale, out=grid[:, :d])
        own -= shift
        np.rint(own, out=own)
        grid[:, d] = steps
        if self.classes is None:
            target = np.ascontiguousarray(as_reals(y, "y"), dtype=float)
            require(all_within(target, 0.0, 1.0), "y must lie in [0, 1]: scale it by a public range")
            grid[:, d + 1] = np.rint(target * (2 * steps) - steps)
        else:
            grid[:, d + 1] = np.where(find_positives(y, self.classes), steps, -steps)
        return grid

    def merge(self, other: MomentTally) -> MomentTally:
        """Of these records and those of another; one without any adds nothing."""
        if not (self.rows and other.rows):
            return self if self.rows else other
        for name in ("steps", "columns", "classes"):
            ours, theirs = getattr(self, name), getattr(other, name)
            require(ours == theirs, f"only tallies of the same {name} merge: {ours} and {theirs}")
        both = MomentTally(self.steps, self.columns, self.classes)
        both.rows, both.sums = self.rows + other.rows, self.sums + other.sums
        require(both.rows * both.steps**2 <= LARGEST, "steps² times the records must be below 2^52")
        return both


class Shape(NamedTuple):
    """What the level rests on, all of it public: columns' widths, and whether the target is one of two classes."""

    columns: tuple[int, ...]
    classified: bool

    @property
    def numbers(self) -> int:
        """m: numbers, the constant and the target."""
        return sum(width == 1 for width in self.columns) + 2

    def sensitivities(self, steps: int) -> tuple[int, int]:
        """How far one record moves the sums by the 1-norm and by the 2-norm, squares with the weight of a half."""
        m, c = self.numbers, len(self.columns) - (self.numbers - 2)
        return -(-(m * m + 4 * c * m + 2 * c * (c - 1)) * steps**2 // 2), (m + c) * steps**2

    def private(self) -> tuple[Array, Array]:
        """The places of the products i ≤ j that need noise."""
        rows, columns = np.nonzero(np.triu(~public_products(self.columns, self.classified)))
        return rows, columns


@dataclass(frozen=True)
class ExactMoments(ExactMechanism):
    """The second moments of private features and a private target, with exact noise on their sums.

    For whoever may see the whole table: each record is noised on its own by `ExactProducts` and `NoisyRecords`, at a
    price of √n times the error or more. Neighbours differ in the values of one record; how many there are is public.
    The level is not cut into shares: all sums have noise for what a whole record can move of them at once.

    Parameters
    ----------
    epsilon : float
        The level of one record, features and target, from 2⁻²⁰ to 20.
    delta : float
        With 0 noise is two-sided geometric; else it has the discrete Gaussian law, which costs less from about five
        columns on.
    steps : int
        How fine the grid is, from the middle of a range to its end.
    testing : bool, default False
        Whether a numpy generator, whose noise can be drawn again, is taken for its randomness.

    Examples
    --------
    >>> from numpy.random import default_rng
    >>> from unveil import ExactMoments, MomentRegression
    >>> X = default_rng(0).random((20_000, 2))
    >>> release = ExactMoments(1.0).publish((X, X @ [0.7, 0.2]))
    >>> release.randomness, round(release.exact_epsilon, 6)
    ('os', 1.0)
    >>> MomentRegression().fit(release).coef_.round(1)
    array([0.7, 0.2])

    See Also
    --------
    MomentRegression, MomentClassifier : learn from it.
    ExactProducts, NoisyRecords : where nobody may see the table.
    """

    epsilon: float
    delta: float = 0.0
    steps: int = 1 << 8

    def _check_parameters(self) -> None:
        check_steps(self.steps)
        require(self.delta == 0 or 1e-30 <= self.delta < 1, "delta must be 0, or lie in [1e-30, 1)")

    def promises(self, shape: Shape) -> tuple[float, float, float]:
        """The exact ε and δ of a record, and the variance of the noise of a product of two different entries."""
        one, two = shape.sensitivities(self.steps)
        if self.delta:
            variance = self._gaussian_variance(two)
            return self.epsilon, gaussian_sums_delta(Fraction(two * two, variance), self.epsilon), float(variance)
        level = self._level(one)
        return as_level(level), 0.0, geometric_variance(level, one)

    def _level(self, sensitivity: int) -> Fraction:
        """ε rounded down, so that its share of a step fits into 64-bit whole numbers."""
        unit = LARGEST_SCALE // 2  # the noise of squares has half of the rate
        whole = int(Fraction(self.epsilon) * unit / sensitivity)
        require(
            whole >= 1, "epsilon must be larger, or steps fewer: their ratio does not fit into 64-bit whole numbers"
        )
        return Fraction(whole * sensitivity, unit)

    def _gaussian_variance(self, sensitivity: int) -> int:
        """The smallest, to seven digits, with which the noise keeps (ε, δ)."""
        most = brentq(lambda t: _log_delta(exp(t) / 2, self.epsilon) - log(self.delta), -60, 20, xtol=1e-12)
        return int(Fraction(sensitivity) ** 2 / Fraction(exp(most) * (1 - 1e-7))) + 1

    def publish(
        self,
        data: Data,
        rng: RandomBytes | None = None,
        columns: Sequence[int] | None = None,
        classes: Sequence[Any] | None = None,
        *,
        ledger: Budget | None = None,
        records: str = "",
    ) -> Release:
        """The noisy sums of all products, as a release of the protocol "moments".

        Parameters
        ----------
        data : (X, y), or an iterable of such pairs
            Features in [0, 1], those of a category zeros and a one; and the target in [0, 1], or one of two classes.
        rng, ledger, records
            As `unveil.mechanisms.base.Mechanism` says.
        columns : sequence of int, optional
            How many features each column makes: one, or a category's several. By default every feature is a number.
        classes : pair, optional
            What the target's two classes are called; by default the target is a number.

        Returns
        -------
        Release
            Its `sums` are whole numbers, in steps²; with a seed the same however the records are cut into batches.
        """
        return self.publish_tally(self.tally(data, columns, classes), rng).charge(ledger, records)

    def tally(
        self, data: Data, columns: Sequence[int] | None = None, classes: Sequence[Any] | None = None
    ) -> MomentTally:
        """What `publish` keeps of the records, without noise; it has `merge`, for shards."""
        return MomentTally(self.steps, columns, classes).take(data)

    def publish_tally(self, tally: MomentTally, rng: RandomBytes | None = None) -> Release:
        """Noise on the sums of all records, once: the release that `publish` makes."""
        source = self._source(rng)
        require(tally.steps == self.steps, f"tally must have the steps of the mechanism, {self.steps}")
        require(tally.rows > 0, "X must have at least one row")
        shape = Shape(tuple(tally.columns or ()), tally.classes is not None)
        exact, delta, variance = self.promises(shape)
        return Release(
            protocol="moments",
            mechanism=type(self).__name__,
            parameters={
                "epsilon": self.epsilon,
                "delta": self.delta,
                "steps": self.steps,
                "columns": list(shape.columns),
                "dimension": sum(shape.columns) + 1,
                "variance": variance,
                **({} if tally.classes is None else {"classes": list(tally.classes)}),
            },
            arrays={"sums": self._add_noise(tally.sums, shape, source)},
            records=tally.rows,
            claimed_epsilon=self.epsilon,
            claimed_delta=self.delta,
            exact_epsilon=exact,
            exact_delta=delta,
            randomness=describe_randomness(source),
        )

    def release_many(self, tally: MomentTally, n: int, rng: RandomBytes) -> Array:
        """`n` independent releases of what is private, one a row, for audits: together they cost n times the level."""
        shape = Shape(tuple(tally.columns or ()), tally.classes is not None)
        return tally.sums[shape.private()] + self._draw(shape, n, self._source(rng))

    def _add_noise(self, sums: Array, shape: Shape, source: RandomBytes) -> Array:
        """Noise on what is private, and what is public about the rest."""
        noisy, (rows, columns) = np.array(sums), shape.private()
        noisy[rows, columns] += self._draw(shape, 1, source)[0]
        noisy[columns, rows] = noisy[rows, columns]
        # A category's squares are its products with the constant.
        squares = np.flatnonzero(np.repeat(shape.columns, shape.columns) > 1)
        noisy[squares, squares] = noisy[squares, len(sums) - 2]
        return noisy

    def _draw(self, shape: Shape, n: int, source: RandomBytes) -> Array:
        """Noise for the private products, one row for each of n releases."""
        one, two = shape.sensitivities(self.steps)
        rows, columns = shape.private()
        noise = np.empty((n, len(rows)), dtype=np.int64)
        for own, factor in ((rows != columns, 1), (rows == columns, 2)):
            size = n, int(own.sum())
            if self.delta:
                noise[:, own] = discrete_gaussian(size, factor**2 * self._gaussian_variance(two), source)
            else:
                noise[:, own] = two_sided_geometric(size, self._level(one), factor * one, source)
        return noise


def gaussian_sums_delta(concentration: float | Fraction, epsilon: float) -> float:
    """δ at ε of discrete Gaussian noise, for a squared sensitivity of so many variances (Canonne et al. 2020, cor. 13).

    It is ρ-concentrated private with ρ of half that, whatever the direction of the move, and so
    δ ≤ exp((α − 1)(αρ − ε))/(α − 1) · (1 − 1/α)^α for every α > 1.
    """
    return exp(min(_log_delta(float(concentration) / 2, epsilon), 0.0))


def _log_delta(rho: float, epsilon: float) -> float:
    def at(t: float) -> float:
        order = 1 + exp(t)
        return exp(t) * (order * rho - epsilon) - t + order * log1p(-1 / order)

    return float(minimize_scalar(at, bounds=(log(1e-9), log(1 + (epsilon + 40) / rho)), method="bounded").fun)
