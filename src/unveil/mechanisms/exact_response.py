"""Randomised response whose probabilities are ratios of whole numbers, drawn without a floating-point comparison."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import is_whole, require
from unveil.mechanisms.batches import states
from unveil.mechanisms.entropy import RandomBytes, checked_source
from unveil.mechanisms.exact_sampling import check_level, log_above, odds_below, weighted_choice
from unveil.types import Array, Floats, as_array

#: The weight of one false answer; the true one weighs at most e^ε times as much.
UNIT = 1 << 30
#: Records handled at a time.
CHUNK = 1 << 15


@dataclass(frozen=True)
class ExactResponse:
    """Report a state 0 … `states` − 1 truly, or any one of the others, with odds of at most e^ε to one.

    Randomised response (Warner 1965) whose odds are a ratio of whole numbers, drawn without rounding: fit for real
    releases. With two states it flips a label or a bit, with 256 a pixel.

    Parameters
    ----------
    epsilon : float
        The level of one state, from 2⁻²⁰ to 20.
    states : int
        How many states there are.
    testing : bool, default False
        Whether a numpy generator, whose noise can be drawn again, is taken for its randomness.

    Examples
    --------
    >>> import numpy as np
    >>> from numpy.random import default_rng
    >>> from unveil import ExactResponse
    >>> states = np.repeat([0, 1, 2], [500, 300, 200])
    >>> veil = ExactResponse(1.0, states=3, testing=True)
    >>> reports = veil.release(states, default_rng(0))
    >>> np.bincount(reports)
    array([377, 316, 307])
    >>> veil.debias(reports, total=True).round(1)
    array([453.2, 285.7, 261. ])

    See Also
    --------
    RandomizedResponse, LabelFlips, PixelFlips
    SecureGenerator : what a real release takes in the place of `default_rng(0)`.
    """

    fit_for_release: ClassVar[bool] = True

    epsilon: float
    states: int = 2
    testing: bool = field(default=False, repr=False, kw_only=True)

    def __post_init__(self) -> None:
        """Check the parameters."""
        check_level(self.epsilon)
        require(
            is_whole(self.states) and 2 <= self.states <= 1 << 24,
            "states must be a whole number between 2 and 16,777,216",
        )

    @property
    def true_weight(self) -> int:
        """The weight of the true answer."""
        return odds_below(self.epsilon, UNIT)

    @property
    def keep(self) -> Fraction:
        """The exact probability of a true answer."""
        return Fraction(self.true_weight, self.true_weight + (self.states - 1) * UNIT)

    @property
    def claimed_epsilon(self) -> float:
        """The level asked for."""
        return float(self.epsilon)

    def tight_epsilon(self) -> float:
        """The level kept, the log of the odds, rounded up; at most 10⁻⁹ below the level asked for."""
        return min(log_above(Fraction(self.true_weight, UNIT)), self.claimed_epsilon)

    @property
    def matrix(self) -> Floats:
        """P[i, j]: the probability that state j is reported as i, to double precision."""
        other = float((1 - self.keep) / (self.states - 1))
        return np.full((self.states, self.states), other) + np.eye(self.states) * (float(self.keep) - other)

    def release(self, stats: ArrayLike, rng: RandomBytes) -> Array:
        """One report a state, of any shape, in the type of `stats`."""
        true = self._checked(stats, "stats")
        reports = weighted_choice(true, self.states, self.true_weight, UNIT, checked_source(rng, self.testing))
        return reports.astype(np.asarray(stats).dtype)

    def tally(self, data: Array | Iterable[ArrayLike], rng: RandomBytes) -> Array:
        """How often each answer comes when all of `data` are released: answers are counted, none is kept.

        Parameters
        ----------
        data : array, or iterable of arrays
            The true states.
        rng : SecureGenerator or numpy.random.Generator
            The source of the noise; the latter only with `testing`.

        Returns
        -------
        array of shape (states,)
            The counts: `LinearMoments.fit_frequencies` takes them, divided by their sum.
        """
        counts = np.zeros(self.states, dtype=np.int64)
        for some in states(data, CHUNK):
            counts += np.bincount(self.release(some, rng).reshape(-1), minlength=self.states)
        return counts

    def debias(self, released: ArrayLike, total: bool = False) -> Floats:
        """Unbiased one-hot rows (n, states) of n reports, or their sum (states,)."""
        reports = self._checked(released, "released").reshape(-1)
        other = float((1 - self.keep) / (self.states - 1))
        signal = float(self.keep) - other
        if total:
            sums: Floats = (np.bincount(reports, minlength=self.states) - len(reports) * other) / signal
            return sums
        rows = np.full((len(reports), self.states), -other / signal)
        rows[np.arange(len(reports)), reports] += 1 / signal
        return rows

    def _checked(self, values: ArrayLike, name: str) -> Array:
        array = as_array(values, name)
        require(array.dtype.kind in "iub", f"{name} must hold whole numbers, not {array.dtype}")
        array = array.astype(np.uint8, casting="same_kind") if array.dtype.kind == "b" else array
        require(
            array.size == 0 or (int(array.min()) >= 0 and int(array.max()) < self.states),
            f"{name} must lie between 0 and {self.states - 1}",
        )
        return array
