"""The spread likelihood of flipped columns of a table, without sampling: an integral in one dimension for each record.

Given its noisy columns a clean record has independent columns, each of a few states. So the characteristic function of
z = θᵀx is a product over columns, and E[1/(1 + e⁻ᶻ)] = ½ + ∫₀^∞ Im E[e^{itz}]/sinh(πt) dt, since that integral of
sin(tz) is tanh(z/2)/2. The midpoint rule's error falls exponentially with the number of nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unveil.errors import require
from unveil.numerics.columns import bit_flip, column_places
from unveil.types import Array, Floats

#: Nodes, and the step between them: exact to eight digits for scores up to 25.
NODES, STEP = 60, 0.14
#: Records handled at once.
BLOCK = 2048
#: The most steps of EM for a prior, and the change of a probability at which it ends.
PRIOR_STEPS, SETTLED = 500, 1e-6


@dataclass(frozen=True)
class TableScores:
    """What is known of the clean columns of different noisy records, and how often each record was seen.

    `chances` holds for each column the probabilities (n, K) of its states, `values` the features (K, d) that they
    stand for.
    """

    chances: list[Floats]
    values: list[Floats]
    labels: Array
    counts: Array
    matrix: Floats

    @property
    def records(self) -> int:
        """How many were seen."""
        return int(self.counts.sum())

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        """The total log-likelihood of the noisy labels, and its gradient."""
        logs, slopes = self._scores(theta)
        return float(self.counts @ logs), self.counts @ slopes

    def information(self, theta: Floats) -> Floats:
        """What the records' own gradients show of it, (d, d)."""
        slopes = self._scores(theta)[1]
        return np.asarray((slopes * self.counts[:, None]).T @ slopes)

    def _scores(self, theta: Floats) -> tuple[Floats, Floats]:
        """The log-likelihood of each different record, and its gradient."""
        parts = [self._block(theta, slice(k, k + BLOCK)) for k in range(0, len(self.labels), BLOCK)]
        logs, slopes = zip(*parts, strict=True)
        return np.concatenate(logs), np.concatenate(slopes)

    def _block(self, theta: Floats, part: slice) -> tuple[Floats, Floats]:
        nodes = (np.arange(NODES) + 0.5) * STEP
        weights = STEP / np.sinh(np.pi * nodes)
        turns = [np.exp(1j * np.outer(values @ theta, nodes)) for values in self.values]
        factors = [chances[part] @ turn for chances, turn in zip(self.chances, turns, strict=True)]
        before = [np.ones_like(factors[0])]
        for factor in factors:
            before.append(before[-1] * factor)
        one = np.clip(0.5 + before[-1].imag @ weights, 0.0, 1.0)
        slopes, after = np.zeros((len(one), len(theta))), np.ones_like(factors[0])
        for k in reversed(range(len(factors))):
            pull = (before[k] * after @ (turns[k] * (nodes * weights)).T).real
            slopes += (self.chances[k][part] * pull) @ self.values[k]
            after = after * factors[k]
        low, rise = self.matrix[self.labels[part], 0], self.matrix[self.labels[part], 1]
        seen = np.maximum(low + (rise - low) * one, 1e-12)
        return np.log(seen), slopes * ((rise - low) / seen)[:, None]


def read_table(
    noisy: Array, codes: Array, columns: Sequence[int], flip: float, states: int, matrix: Floats, intercept: bool
) -> TableScores:
    """What noisy columns tell of the clean ones, with the law of each column's states learned by EM."""
    require(sum(columns) == noisy.shape[1], "columns must make the features of X")
    rows, counts = np.unique(np.column_stack([noisy, codes]), axis=0, return_counts=True)
    d = noisy.shape[1]
    chances, values = [], []
    for start, width in column_places(columns):
        own = rows[:, start : start + width]
        own_values = np.zeros((states if width == 1 else width + 1, d + intercept))
        if width == 1:
            own_values[:, start] = np.arange(states) / (states - 1)
            likely = np.where(own == np.arange(states), 1 - flip, flip / (states - 1))
        else:
            # A category, or none of the list.
            own_values[:width, start : start + width] = np.eye(width)
            rate = bit_flip(flip, states)
            clean = np.vstack([np.eye(width), np.zeros(width)])
            likely = np.prod(np.where(own[:, None] == clean, 1 - rate, rate), axis=2)
        chances.append(_learn_chances(likely, counts))
        values.append(own_values)
    if intercept:
        chances.append(np.ones((len(rows), 1)))
        values.append(np.eye(d + 1)[-1:])
    return TableScores(chances, values, rows[:, -1].astype(np.intp), counts, matrix)


def _learn_chances(likely: Floats, counts: Array) -> Floats:
    """The probabilities of a column's states in each record, given how likely each makes what was seen."""
    prior = np.full(likely.shape[1], 1 / likely.shape[1])
    for _ in range(PRIOR_STEPS):
        joint = likely * prior
        chances = joint / joint.sum(axis=1, keepdims=True)
        before, prior = prior, counts @ chances / counts.sum()
        if np.abs(prior - before).max() < SETTLED:
            break
    return np.asarray(chances)
