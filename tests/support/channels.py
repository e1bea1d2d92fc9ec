"""The δ of a channel that is written down, to hold levels and closed forms against."""

from __future__ import annotations

from math import exp

import numpy as np
from numpy.typing import ArrayLike


def channel_delta(matrix: ArrayLike, epsilon: float) -> float:
    """The least δ with P[A | y] ≤ e^ε P[A | y'] + δ for all events A and inputs y, y'; columns are laws."""
    laws = np.asarray(matrix, dtype=float)
    excess = laws[:, :, None] - exp(epsilon) * laws[:, None, :]
    return float(np.maximum(excess, 0.0).sum(axis=0).max())
