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


def require_finite(numbers: Array, name: str) -> None:
    """Raise where a number is infinite or none: what is missing in a table comes as NaN, too."""
    if numbers.dtype.kind in "fc":
        with np.errstate(over="ignore", invalid="ignore"):
            total = numbers.sum()
        # One pass without a copy: a finite sum has finite terms. One that overflowed is looked into.
        require(np.isfinite(total) or np.isfinite(numbers).all(), f"{name} must be finite: NaN or infinity found")


#: Whole numbers up to here are exact as doubles.
_LARGEST_WHOLE = 2.0**53


def as_whole(numbers: Array, name: str, kind: Any = np.int64) -> Array:
    """Whole numbers that may be written as real ones, as integers of a kind that holds them.

    The one place where real numbers become integers: a cast alone makes a large negative number of NaN.
    """
    if numbers.dtype.kind == "f":
        fits = bool((np.abs(numbers) <= _LARGEST_WHOLE).all())
        require(fits, f"{name} must be finite numbers of at most 2^53 in size")
    return numbers.astype(kind)


def require_moderate(numbers: Array, name: str, limit: float = 1e100) -> None:
    """Raise unless all are finite and of a size whose square is finite too."""
    require_finite(numbers, name)
    floating = numbers.dtype.kind == "f"  # whole numbers cannot be that large
    size = max(float(numbers.max(initial=0)), -float(numbers.min(initial=0))) if floating else 0.0
    require(size <= limit, f"{name} must hold numbers of at most {limit:g} in size")
