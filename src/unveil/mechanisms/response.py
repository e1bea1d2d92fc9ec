"""Classical randomised response: the truth with probability ε, otherwise a draw from a known distribution.

Raghunathan et al. (2016), section 3.1, after Warner (1965).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.random import Generator
from numpy.typing import ArrayLike

from unveil.errors import require, require_number
from unveil.mechanisms.base import Mechanism
from unveil.mechanisms.batches import cut_states
from unveil.mechanisms.checks import check_states, response_type
from unveil.numerics.alias import alias_table
from unveil.types import Array, Floats, as_array, as_numbers

#: Records handled at a time: their uniforms stay in the cache.
CHUNK = 1 << 15


def randomized_response_matrix(m: int, epsilon: float, base: ArrayLike | None = None) -> Floats:
    """S[o, y] = ε 1[o = y] + (1 − ε) u(o), the supervision matrix of Raghunathan et al. (2016), equation (5).

    Parameters
    ----------
    m : int
        The number of states.
    epsilon : float
        The probability of a truthful answer, in (0, 1]; no privacy level.
    base : sequence of m probabilities, optional
        u, the distribution of the other answers; uniform by default.

    Returns
    -------
    array of shape (m, m)
        S; columns sum to one.

    Examples
    --------
    >>> from unveil import randomized_response_matrix
    >>> randomized_response_matrix(2, 0.5)
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """
    u = base_distribution(m, base)
    require_number(epsilon, "epsilon")
    require(0 < epsilon <= 1, "epsilon must lie in (0, 1]: the probability of a truthful answer")
    require(m <= 10_000, f"m must be at most 10000: the matrix has m² entries, not {m}²")
    m = int(m)
    return epsilon * np.eye(m) + (1 - epsilon) * u[:, None]


def base_distribution(m: int, base: ArrayLike | None) -> Floats:
    """The distribution u of (5): `base` checked, or uniform."""
    require_number(m, "m", whole=True)
    require(1 <= m <= 10**8, "m must be at least 1: the number of states")
    if base is None:
        return np.full(int(m), 1 / m)
    u = as_numbers(base, "base")
    require(u.shape == (m,), "base must have one probability per state")
    require(
        bool(np.isfinite(u).all() and (u >= 0).all()) and abs(u.sum() - 1) <= 1e-9,
        "base must be a distribution: nonnegative, sum one",
    )
    return u


class StateResponse(Mechanism, ABC):
    """Answers about private states 0 … K − 1, of which the true one is likelier than the others."""

    @abstractmethod
    def release(self, stats: ArrayLike, rng: Any) -> Array:
        """One answer a state."""

    @abstractmethod
    def _answers(self) -> tuple[Floats, float]:
        """The chances (K,) of an answer that looks at no state, and how much likelier than that the true answer is."""

    def tally(self, data: Array | Iterable[ArrayLike], rng: Any) -> Array:
        """How often each answer (K,) comes when all of `data` are released: answers are counted, none is kept.

        `LinearMoments.fit_frequencies` takes the counts, divided by their sum.
        """
        states = len(self._answers()[0])
        counts = np.zeros(states, dtype=np.int64)
        for some in cut_states(data, CHUNK):
            counts += np.bincount(self.release(some, rng).reshape(-1), minlength=states)
        return counts

    def debias(self, released: ArrayLike, total: bool = False) -> Floats:
        """β of (7) for one-hot statistics: rows (n, K), or their sum (K,), unbiased for the true one-hots.

        For other statistics multiply by `phi` of shape (K, d): the estimate is linear.
        """
        expected, signal = self._answers()
        answers = check_states(released, len(expected), "released").reshape(-1).astype(np.intp, casting="same_kind")
        if total:
            return np.asarray((np.bincount(answers, minlength=len(expected)) - len(answers) * expected) / signal)
        rows = np.broadcast_to(-expected / signal, (len(answers), len(expected))).copy()
        rows[np.arange(len(answers)), answers] += 1 / signal
        return rows


@dataclass(frozen=True)
class RandomizedResponse(StateResponse):
    """Answer truthfully with probability `epsilon`, else from `base`, over the states 0 … m − 1.

    Classical randomised response, equation (5) of Raghunathan et al. (2016). For simulation only.

    Parameters
    ----------
    m : int
        The number of states.
    epsilon : float
        The probability of a truthful answer, in (0, 1]; the privacy level is `tight_epsilon`.
    base : sequence of m probabilities, optional
        u, the distribution of the other answers; uniform by default.

    Examples
    --------
    >>> import numpy as np
    >>> from numpy.random import default_rng
    >>> from unveil import RandomizedResponse
    >>> states = np.repeat([0, 1, 2], [500, 300, 200])
    >>> veil = RandomizedResponse(3, 0.5)
    >>> answers = veil.release(states, default_rng(0))
    >>> np.bincount(answers)
    array([392, 348, 260])
    >>> veil.debias(answers, total=True).round(1)
    array([450.7, 362.7, 186.7])
    >>> round(veil.tight_epsilon(), 3)
    1.386

    See Also
    --------
    ExactResponse : for real releases.
    """

    m: int
    epsilon: float
    base: tuple[float, ...] | None = None

    def _check_parameters(self) -> None:
        require(0 < self.epsilon <= 1, "epsilon must lie in (0, 1]: the probability of a truthful answer")
        if self.base is not None:
            object.__setattr__(self, "base", tuple(base_distribution(self.m, self.base).tolist()))
        base_distribution(self.m, self.base)

    @property
    def matrix(self) -> Floats:
        """S[o, y] of (5)."""
        return randomized_response_matrix(self.m, self.epsilon, self.base)

    @property
    def claimed_epsilon(self) -> float:
        """The paper's level, ε/((1 − ε) min u): loose, because ln(1 + x) ≤ x."""
        rarest = (1 - self.epsilon) * base_distribution(self.m, self.base).min()
        return float(self.epsilon / rarest) if rarest > 0 else np.inf

    def tight_epsilon(self) -> float:
        """The exact level: ln(1 + ε/((1 − ε) min u)); zero when there is one state only."""
        return float(np.log1p(self.claimed_epsilon)) if self.m > 1 else 0.0

    def release(self, stats: ArrayLike, rng: Generator) -> Array:
        """One answer a record (n,); `stats` holds the true states (n,), or their one-hot rows (n, m)."""
        states = self._states(as_array(stats, "stats"))
        answers = np.empty(len(states), response_type(states, self.m))
        accept, alias = alias_table(base_distribution(self.m, self.base))
        draws = np.empty(CHUNK)
        for start in range(0, len(states), CHUNK):
            chunk = slice(start, min(start + CHUNK, len(states)))
            uniforms = rng.random(out=draws[: chunk.stop - start])
            within = _respond(states[chunk], uniforms, self.epsilon, accept, alias, answers[chunk])
            require(bool(within), "stats must hold states: integers from 0 to m - 1")
        return answers

    def debias(self, released: ArrayLike, total: bool = False) -> Floats:
        """As of all responses, of a vector (n,): rows would be mistaken for one-hot states."""
        require(as_array(released, "released").ndim == 1, "released must have shape (n,): one answer a record")
        return super().debias(released, total)

    def _answers(self) -> tuple[Floats, float]:
        return (1 - self.epsilon) * base_distribution(self.m, self.base), self.epsilon

    def _states(self, stats: Array) -> Array:
        if stats.ndim == 2:
            require(stats.shape[1] == self.m, "stats must have one column per state when it holds one-hot rows")
            require(
                bool(((stats == 0) | (stats == 1)).all() and (stats.sum(axis=1) == 1).all()),
                "stats must be one-hot where it has two dimensions",
            )
            return np.asarray(np.argmax(stats, axis=1))
        require(
            stats.ndim == 1 and stats.dtype.kind in "iu", "stats must hold integer states (n,) or one-hot rows (n, m)"
        )
        return np.ascontiguousarray(stats)


@njit(cache=True)
def _respond(states: Array, uniforms: Floats, epsilon: float, accept: Floats, alias: Array, answers: Array) -> bool:
    """One uniform a record: below ε the truth, above it, stretched over the alias table, the base.

    Look-up and arithmetic stand in for branches on random numbers, which would be mispredicted every other time.
    """
    m = len(accept)
    # In 32 bits: compilers turn 64-bit look-ups into vector gathers, which are three times slower.
    choice = np.empty((m, 2), np.int32)
    choice[:, 0], choice[:, 1] = alias, np.arange(m)
    stretch = m / (1 - epsilon) if epsilon < 1 else 0.0
    outside = np.int32(0)
    for r in range(len(states)):
        state = np.int64(states[r])
        outside |= np.int32((state < 0) | (state >= m))
        position = (uniforms[r] - epsilon) * stretch
        cell = np.int64(min(max(position, 0.0), m - 1.0))
        other = np.int64(choice[cell, np.int64(position - cell < accept[cell])])
        answers[r] = other + (state - other) * np.int64(uniforms[r] < epsilon)
    return bool(outside == 0)
