"""The few types that all modules share, and arrays checked at the border to the caller."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unveil.errors import UnveilError, require

Array: TypeAlias = NDArray[Any]
Floats: TypeAlias = NDArray[np.floating[Any]]

#: Named arrays: the fields of a data set, what an owner releases, what a learner learned.
Arrays: TypeAlias = Mapping[str, Array]


def as_array(values: ArrayLike, name: str) -> Array:
    """`values` as an array of whatever they are; ragged lists are errors."""
    try:
        return np.asarray(values)
    except (TypeError, ValueError) as error:
        raise UnveilError(f"{name} must hold numbers in a regular shape: {error}") from error


def as_reals(values: ArrayLike, name: str) -> Array:
    """`values` in their own precision; text, complex numbers, dates, objects and ragged lists are errors."""
    array = as_array(values, name)
    require(array.dtype.kind in "fiub", f"{name} must hold numbers, not {array.dtype}")
    return array


def as_numbers(values: ArrayLike, name: str) -> Floats:
    """`values` as doubles, with the errors of `as_reals`."""
    return as_reals(values, name).astype(float, copy=False)


def require_moderate(numbers: Array, name: str, limit: float = 1e100) -> None:
    """Raise unless all are finite and of a size whose square is finite too."""
    require(np.isfinite(numbers).all(), f"{name} must be finite")
    floating = numbers.dtype.kind == "f"  # whole numbers cannot be that large
    size = max(float(numbers.max(initial=0)), -float(numbers.min(initial=0))) if floating else 0.0
    require(size <= limit, f"{name} must hold numbers of at most {limit:g} in size")
