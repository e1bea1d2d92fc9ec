"""Rules that class counts and demanded guarantees must keep, shared by the mechanisms on counts."""

from __future__ import annotations

from math import isfinite

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import require, require_number
from unveil.types import Array, as_array, as_numbers


def checked_counts(counts: ArrayLike, dimensions: int = 1) -> Array:
    """Class counts as floats, or an error that says which rule they break."""
    values = as_numbers(counts, "counts")
    require(values.ndim == dimensions and values.shape[-1] >= 2, "counts must hold at least two classes")
    require(np.isfinite(values).all(), "counts must be finite")
    require((values >= 0).all(), "counts must not be negative")
    require((values == np.floor(values)).all(), "counts must be whole numbers")
    require((values.sum(axis=-1) > 0).all(), "counts must not all be zero")
    require((values <= 2.0**53).all(), "counts must be at most 2^53: larger ones are not exact")
    return values


def checked_sets(counts: ArrayLike) -> Array:
    """Class counts of one set, or of one set a row."""
    return checked_counts(counts, dimensions=max(as_array(counts, "counts").ndim, 1))


#: How many counts move by one between neighbours: a label that changes leaves one class and joins another; a record
#: that is there or not moves one.
MOVED = {"bounded": 2, "unbounded": 1}


def check_neighbours(neighbours: str) -> None:
    """Raise unless it says which data sets are neighbours."""
    require(neighbours in MOVED, f"neighbours must be 'bounded' or 'unbounded', not {neighbours!r}")


def released_total(counts: Array, noisy: Array, neighbours: str) -> Array:
    """The totals that noisy counts are made consistent with: those of the data only where they are public."""
    return np.asarray(np.maximum(noisy.sum(axis=-1), 1) if neighbours == "unbounded" else counts.sum(axis=-1))


def check_demand(epsilon: float, delta: float) -> None:
    """Raise unless ε > 0 and 0 < δ < 1."""
    check_epsilon(epsilon)
    require_number(delta, "delta")
    require(0 < delta < 1, f"delta must lie strictly between 0 and 1, not {delta}")


def check_epsilon(epsilon: float) -> None:
    """Raise unless ε is positive and e^ε can be told from 1 and from ∞."""
    require_number(epsilon, "epsilon")
    require(isfinite(epsilon) and epsilon > 0, f"epsilon must be positive and finite, not {epsilon}")
    require(1e-9 <= epsilon <= 700, f"epsilon must lie between 1e-9 and 700, not {epsilon}: beyond, e^ε is 1 or ∞")
