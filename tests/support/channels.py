"""Channels that are written down outcome by outcome, and their δ, to hold levels and closed forms against."""

from __future__ import annotations

from itertools import product
from math import exp

import numpy as np
from numpy.typing import ArrayLike

from unveil.types import Floats


def channel_delta(matrix: ArrayLike, epsilon: float) -> float:
    """The least δ with P[A | y] ≤ e^ε P[A | y'] + δ for all events A and inputs y, y'; columns are laws."""
    laws = np.asarray(matrix, dtype=float)
    excess = laws[:, :, None] - exp(epsilon) * laws[:, None, :]
    return float(np.maximum(excess, 0.0).sum(axis=0).max())


def coordinate_channel(phi: Floats, keep: float, upper: float = 1.0) -> tuple[Floats, Floats]:
    """S[(j, bit), y] and β(j, bit) of coordinate release, j uniform: a bit is kept with probability `keep`."""
    d, one = phi.shape[1], keep * phi / upper + (1 - keep) * (1 - phi / upper)
    outcomes = list(product(range(d), (0, 1)))
    rows = [(one if bit else 1 - one)[:, j] / d for j, bit in outcomes]
    beta = [d * upper * (bit - 1 + keep) / (2 * keep - 1) * np.eye(d)[j] for j, bit in outcomes]
    return np.array(rows), np.array(beta)


def per_value_channel(phi: Floats, keep: float, upper: float = 1.0) -> tuple[Floats, Floats]:
    """S[bits, y] and β(bits) of per-value φ-RR."""
    one = keep * phi / upper + (1 - keep) * (1 - phi / upper)
    outputs = np.array(list(product((0, 1), repeat=phi.shape[1])))
    rows = [np.prod(np.where(bits == 1, one, 1 - one), axis=1) for bits in outputs]
    return np.array(rows), upper * (outputs - 1 + keep) / (2 * keep - 1)
