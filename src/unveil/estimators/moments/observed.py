"""What is observed through a supervision matrix: outcomes, counted from 0, and their frequencies."""

from __future__ import annotations

from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.theory.finite_models import as_supervision
from unveil.types import Array, Floats, as_numbers, as_reals


def outcomes(phi: ArrayLike, supervision: ArrayLike) -> int:
    """K, how many there are."""
    statistics = as_numbers(phi, "phi")
    require(statistics.ndim in (2, 3), "phi must have shape (m, d): one row of statistics per state")
    return len(as_supervision(supervision, statistics.shape[-2]))


def checked_observations(observations: ArrayLike, phi: ArrayLike, supervision: ArrayLike) -> Array:
    """Outcomes as whole numbers, at least one."""
    seen = as_reals(observations, "observations")
    require(seen.ndim == 1 and len(seen) > 0, "observations must have shape (n,), n at least 1")
    require(
        seen.dtype.kind in "iu" and 0 <= seen.min() <= seen.max() < outcomes(phi, supervision),
        "observations must be integers from 0 to k - 1: rows of supervision",
    )
    return seen


def one_distribution(frequencies: ArrayLike) -> Floats:
    """Frequencies of the outcomes, of one sample."""
    seen = as_numbers(frequencies, "frequencies")
    require(seen.ndim == 1, "frequencies must be one distribution (k,)")
    return seen
