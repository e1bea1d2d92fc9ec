"""The exact privacy of laws that can be written down: finite channels, and the ε that belongs to a δ."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.types import Floats

#: Above this ε a release is as good as public.
HIGHEST = 700.0


def channel_epsilon(matrix: ArrayLike) -> float:
    """The largest log S[o, y]/S[o, y'] over outcomes o and inputs y, y', where columns are laws."""
    laws = _laws(matrix)
    laws = laws[laws.max(axis=1) > 0]
    if (laws == 0).any():
        return inf
    return float(np.log(laws.max(axis=1) / laws.min(axis=1)).max())


def smallest_epsilon(
    delta_of: Callable[[float], float], delta: float, highest: float = HIGHEST, accuracy: float = 1e-12
) -> float:
    """The smallest ε ≥ 0 with `delta_of(ε)` at most `delta`, for a falling `delta_of`; infinite beyond `highest`."""
    if delta_of(0.0) <= delta:
        return 0.0
    high = 1.0
    while delta_of(high) > delta:
        if high == highest:
            return inf
        high = min(2.0 * high, highest)
    from scipy.optimize import brentq  # imported late: it would be half a second in every owner's job

    return float(brentq(lambda epsilon: delta_of(epsilon) - delta, 0.0, high, xtol=accuracy))


def _laws(matrix: ArrayLike) -> Floats:
    laws: Floats = np.asarray(matrix, dtype=float)
    require(laws.ndim == 2, "matrix must have one row an outcome and one column an input")
    require(bool((laws >= 0).all()), "matrix must hold probabilities")
    require(bool((np.abs(laws.sum(axis=0) - 1) < 1e-9).all()), "matrix must have columns that sum to one")
    return laws
