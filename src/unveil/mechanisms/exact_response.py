"""Randomised response whose probabilities are ratios of whole numbers, drawn without a floating-point comparison."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import is_whole, require
from unveil.mechanisms.base import ExactMechanism
from unveil.mechanisms.checks import check_states, response_type
from unveil.mechanisms.entropy import RandomBytes
from unveil.mechanisms.exact_sampling import log_above, odds_below, weighted_choice
from unveil.mechanisms.response import StateResponse
from unveil.types import Array, Floats, as_whole

#: The weight of one false answer; the true one weighs at most e^ε times as much.
UNIT = 1 << 30


@dataclass(frozen=True)
class ExactResponse(ExactMechanism, StateResponse):
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
    array([388, 336, 276])
    >>> veil.debias(reports, total=True).round(1)
    array([483.4, 340.7, 175.9])

    See Also
    --------
    SecureGenerator : what a real release takes in the place of `default_rng(0)`.
    """

    epsilon: float
    states: int = 2

    def _check_parameters(self) -> None:
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

    def tight_epsilon(self) -> float:
        """The level kept, the log of the odds, rounded up; at most 10⁻⁹ below the level asked for."""
        return min(log_above(Fraction(self.true_weight, UNIT)), self.claimed_epsilon)

    @property
    def matrix(self) -> Floats:
        """P[i, j]: the probability that state j is reported as i, to double precision."""
        others, signal = self._answers()
        return others[:, None] + np.eye(self.states) * signal

    def release(self, stats: ArrayLike, rng: RandomBytes) -> Array:
        """One report a state, of any shape, in the type of `stats` where that holds all states."""
        true = check_states(stats, self.states, "stats")
        reports = weighted_choice(true, self.states, self.true_weight, UNIT, self._source(rng))
        return as_whole(reports, "stats", response_type(true, self.states))

    def _answers(self) -> tuple[Floats, float]:
        other = float((1 - self.keep) / (self.states - 1))
        return np.full(self.states, other), float(self.keep) - other
