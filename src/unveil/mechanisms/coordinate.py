"""Coordinate release: one binarised statistic a record, flipped (Raghunathan et al. 2016, section 3.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.mechanisms.bits import all_within, as_block, as_matrix, flip_line, keep_probability, worst_log_ratios
from unveil.mechanisms.product_bits import CHUNK, ProductBits, ProductMoments, release_products, tally_outcomes
from unveil.mechanisms.product_mechanism import OneProduct
from unveil.numerics.alias import alias_table
from unveil.numerics.products import debias_outcomes, unfold
from unveil.types import Array, Floats, as_array, as_whole


class CoordinateBits(NamedTuple):
    """What leaves the owner: the pair (j, o) of each record, among `dimension` coordinates."""

    coordinate: Array
    bit: Array
    dimension: int


@dataclass(frozen=True)
class CoordinateRelease(OneProduct):
    """Release one coordinate, drawn from p_cr, as a bit that survives with probability q_α.

    Coordinate release of Raghunathan et al. (2016), section 3.2, and with `release_products` the protocol of their
    section 7. For simulation only.

    Parameters
    ----------
    alpha : float
        The privacy level that the paper claims; `inf` binarises without flips.
    upper : float
        The bound c: statistics lie in [0, c].
    p : sequence of d probabilities, optional
        p_cr, the distribution of the released coordinate; uniform by default.

    Examples
    --------
    >>> import numpy as np
    >>> from numpy.random import default_rng
    >>> from unveil import CoordinateRelease
    >>> stats = default_rng(0).random((2000, 3)) * [1.0, 0.5, 0.2]
    >>> veil = CoordinateRelease(4.0)
    >>> released = veil.release(stats, default_rng(1))
    >>> released.coordinate[:4], released.bit[:4]
    (array([1, 2, 0, 2], dtype=int32), array([False,  True,  True, False]))
    >>> (veil.debias(released, total=True) / 2000).round(2)  # the true means are .50, .25 and .10
    array([0.49, 0.28, 0.14])
    >>> veil.claimed_epsilon, veil.tight_epsilon()
    (4.0, 2.0)

    See Also
    --------
    publish_shards : with an example of `publish`, and of a regression that learns from it.
    """

    alpha: float
    upper: float = 1.0
    p: tuple[float, ...] | None = None

    def _check_parameters(self) -> None:
        require(self.alpha > 0, "alpha must be positive")
        require(0 < self.upper < np.inf, "upper must be positive and finite")
        if self.p is not None:
            share = np.asarray(self.p, dtype=float)
            require(share.ndim == 1 and bool((share > 0).all()), "p must be positive on every coordinate")
            require(abs(share.sum() - 1) <= 1e-9, "p must sum to one")
            object.__setattr__(self, "p", tuple(share.tolist()))

    @property
    def keep(self) -> float:
        """The probability q_α that the bit survives."""
        return keep_probability(self.alpha)

    def tight_epsilon(self) -> float:
        """α/2, the exact level wherever a statistic can be 0 and c: the paper's proof loses a factor of two.

        It also holds for the songs protocol, whose three bits cost α/6 each.
        """
        return self.alpha / 2

    def level_between(self, statistics: ArrayLike) -> float:
        """The exact level when the only possible records are the rows of `statistics`; at most α/2."""
        return float(worst_log_ratios(statistics, self.upper, self.keep).max())

    def release(self, stats: ArrayLike, rng: Generator) -> CoordinateBits:
        """One pair (j, o) a record, of statistics (n, d) in [0, c]."""
        rows = as_matrix(as_array(stats, "stats"), "stats")
        n, d = rows.shape
        accept, alias = alias_table(self._distribution(d))
        coordinate, bit = np.empty(n, np.int32), np.empty(n, np.bool_)
        low, slope = flip_line(self.keep, self.upper, signed=False)
        for start in range(0, n, CHUNK):
            part = slice(start, min(start + CHUNK, n))
            chunk = as_block(rows[part])
            uniforms = rng.random((2, len(chunk)))
            within = all_within(chunk, 0.0, self.upper)
            require(within, "stats must lie in [0, upper]: binarisation needs a share of upper")
            position = uniforms[0] * d
            cell = np.minimum(as_whole(position, "stats"), d - 1)
            chosen = np.where(position - cell < accept[cell], cell, alias[cell])
            coordinate[part] = chosen
            bit[part] = uniforms[1] < low + slope * chunk[np.arange(len(chunk)), chosen].astype(float)
        return CoordinateBits(coordinate, bit, d)

    def debias(self, released: CoordinateBits, total: bool = False) -> Floats:
        """β_cr: rows (n, d), non-zero at the released coordinate only, or their sum (d,); unbiased."""
        share = self._distribution(released.dimension)
        values = (released.bit - 1 + self.keep) / (2 * self.keep - 1) * self.upper / share[released.coordinate]
        if total:
            return np.bincount(released.coordinate, weights=values, minlength=released.dimension) * 1.0
        rows = np.zeros((len(values), released.dimension))
        rows[np.arange(len(values)), released.coordinate] = values
        return rows

    def _levels(self, d: int) -> tuple[float, float]:  # noqa: ARG002 - whatever it is
        return self.alpha, self.tight_epsilon()

    def _keeps(self) -> tuple[float, float]:
        return self.keep, keep_probability(self.alpha / 3)

    def release_products(self, X: ArrayLike, y: ArrayLike, rng: Generator, signed: bool = False) -> ProductBits:
        """One product of features (n, d) and target (n,), or three, of each record, as bits (section 7).

        Features and target lie in [0, √c]; with `signed` in [−√c, √c]. Nothing of size n × d² is made.
        """
        return self._release_bits(as_array(X, "X"), as_array(y, "y"), rng, signed)

    def _release_bits(self, X: Array, y: Array, source: Generator, signed: bool) -> ProductBits:
        require(self.p is None, "p must be None: the songs protocol has its own distribution of products")
        return release_products(as_matrix(X, "X"), y, source, self._keeps(), self.upper, signed)

    def debias_products(self, released: ProductBits, signed: bool = False, counts: str = "auto") -> ProductMoments:
        """Estimates of E[xxᵀ] and E[x·y] from what `release_products` returned; `counts` as for `debias_outcomes`."""
        target, pair = ((np.arange(2) - low) / slope for low, slope in self._lines(signed))
        means = debias_outcomes(*tally_outcomes(released), (target, pair), counts).means
        return ProductMoments(*unfold(means, released.dimension))

    def _distribution(self, d: int) -> Floats:
        if self.p is None:
            return np.full(d, 1 / d)
        require(len(self.p) == d, "p must have one probability per coordinate of stats")
        return np.asarray(self.p)
