"""The sums behind an exact release of a mean operator: whole numbers, from batches and from shards.

Nothing is noised here, so a tally is as private as the data. Tallies of the same grid merge; noise is drawn once, on
the sums of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numba import njit

from unveil.errors import is_real, require
from unveil.fingerprints import Fingerprint
from unveil.mechanisms.batches import Data, cut_batches
from unveil.mechanisms.bits import as_block
from unveil.mechanisms.checks import check_classes, check_intercept, find_positives
from unveil.numerics.row_hashes import go_on, weights
from unveil.types import Array, Floats, as_whole, require_moderate

#: Whole numbers up to here are exact as doubles, and so are sums of them below 2⁵³.
LARGEST = 1 << 52
#: Added and taken off again it rounds a double to a whole number, to even where two are as near.
_ROUNDER = 1.5 * 2.0**52


class OperatorTally:
    """Σ x of the whole records of either label, and what a release must know besides.

    Parameters
    ----------
    steps : int
        Of the grid, up to `top`.
    intercept : bool
        Whether a constant is a feature, too.
    classes : pair
        What the labels are called.
    top : float, optional
        The size of an entry that `steps` steps reach: public, and the same for all shards. By default the largest of
        the first records that are not all zero.
    """

    def __init__(
        self, steps: int, intercept: bool = False, classes: Sequence[Any] = (-1, 1), top: float | None = None
    ) -> None:
        require(top is None or (is_real(top) and 0 < top < 1e100), f"top must be a positive number, not {top!r}")
        self.steps, self.intercept, self.classes = int(steps), check_intercept(intercept), check_classes(classes)
        self.top = 0.0 if top is None else float(top)
        self.rows, self.positive, self.widest = 0, 0, 0
        self.sums: Array = np.zeros((2, 0), dtype=np.int64)
        self.seen = Fingerprint()

    def take(self, data: Data) -> Self:
        """Count in all records of (X, y), or of an iterable of such pairs."""
        for X, y in cut_batches(data, look=False):  # the norms do
            self._add(as_block(X), find_positives(y, self.classes))
        return self

    def _add(self, X: Floats, positive: Array) -> None:
        d = X.shape[1]
        if not self.rows:
            self.sums = np.zeros((2, d), dtype=np.int64)
        if not self.top:
            require_moderate(X, "X")
            self.top = largest(X)
            require(
                self.top == 0 or self.top / self.steps > 0, "X must not be so small that a step of its grid is zero"
            )
        sums, top = np.zeros((2, d)), self.top or 1.0
        state, rows = self.seen.state.copy(), self.rows + len(X)
        widest = _tally(X, positive, top, float(self.steps), weights(d), sums, state)
        if not widest * top <= 1e100:  # or it is none
            require_moderate(X, "X")
        # Then every sum is exact: of a batch in doubles, of all in 64 bits. What is no number is not below anything.
        for norm in (widest, self.widest):
            require(rows * norm <= LARGEST, "steps times the number of records must be below 2^52")
        # Nothing of a batch that was refused is kept.
        self.rows, self.positive = rows, self.positive + int(np.count_nonzero(positive))
        self.seen.state, self.seen.rows, self.seen.columns = state, rows, d
        self.widest = max(self.widest, int(widest))
        self.sums += as_whole(sums, "sums")

    @property
    def parameters(self) -> dict[str, Any]:
        """What a release says of the records' form."""
        dimension = self.sums.shape[1] + self.intercept
        return {"dimension": dimension, "intercept": self.intercept, "classes": list(self.classes)}

    def merge(self, other: OperatorTally) -> OperatorTally:
        """Of these records, and then those of another; one without any adds nothing."""
        known = ("top",) if self.rows and other.rows else ()
        for name in ("steps", "intercept", "classes", *known):
            ours, theirs = getattr(self, name), getattr(other, name)
            require(ours == theirs, f"only tallies of the same {name} merge: {ours} and {theirs}")
        if not (self.rows and other.rows):
            return self if self.rows else other
        same = self.sums.shape == other.sums.shape
        require(same, f"only tallies of as many features merge: {self.sums.shape[1]} and {other.sums.shape[1]}")
        both = OperatorTally(self.steps, self.intercept, self.classes, self.top or None)
        both.rows, both.positive = self.rows + other.rows, self.positive + other.positive
        both.widest, both.sums = max(self.widest, other.widest), self.sums + other.sums
        require(both.rows * both.widest <= LARGEST, "steps times the number of records must be below 2^52")
        both.seen = self.seen.merge(other.seen)
        return both

    def whole(self) -> tuple[Array, Array, int, Floats]:
        """The sum over the second label, over all, the largest 1-norm of a record, and what a step of each stands for.

        A constant is a whole number of a unit of its own, about as large as the largest entry.
        """
        chosen, total, units = self.sums[1], self.sums.sum(axis=0), np.full(self.sums.shape[1], self.top / self.steps)
        if not self.intercept:
            return chosen, total, self.widest, units
        # Where the quotient is infinite, too, it is refused.
        one = max(1, round(min(self.steps / self.top, LARGEST + 1))) if self.top > 0 else 1
        require(self.rows * one <= LARGEST, "X must not be so small that the constant leaves the range of its grid")
        counts = np.append(chosen, one * self.positive), np.append(total, one * self.rows)
        return *counts, self.widest + one, np.append(units, 1 / one)


def largest(features: Floats) -> float:
    """The largest size of an entry, without a copy."""
    return max(float(features.max(initial=0)), -float(features.min(initial=0)))


@njit(cache=True)
def _tally(
    rows: Floats, positive: Array, top: float, steps: float, columns: Array, sums: Floats, state: Array
) -> float:
    """Hash each row, bring it to the grid, add it to the sums of its label; the largest 1-norm, or NaN if one is."""
    doubles = np.empty(rows.shape[1])
    words, widest = doubles.view(np.uint64), 0.0
    for r in range(len(rows)):
        for j in range(rows.shape[1]):
            doubles[j] = rows[r, j] + 0.0  # no negative zeros
        go_on(words, columns, state)
        own = sums[np.int64(positive[r])]
        for j in range(rows.shape[1]):
            whole = (doubles[j] / top * steps + _ROUNDER) - _ROUNDER
            own[j] += whole
            doubles[j] = abs(whole)
        norm = _total(doubles)
        if norm > widest or norm != norm:  # nothing is larger than NaN, so that it stays
            widest = norm
    return widest


@njit(cache=True, fastmath={"reassoc"})
def _total(whole: Floats) -> float:
    """The sum of whole numbers, in whatever order: it is exact."""
    total = 0.0
    for j in range(len(whole)):
        total += whole[j]
    return total
