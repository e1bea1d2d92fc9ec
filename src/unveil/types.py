"""The few types that every room shares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unveil.errors import UnveilError

Array: TypeAlias = NDArray[Any]
Floats: TypeAlias = NDArray[np.floating[Any]]

#: Named arrays: the fields of a data set, what an owner releases, what a learner learned.
Arrays: TypeAlias = Mapping[str, Array]


def as_numbers(values: ArrayLike, name: str) -> Floats:
    """`values` as doubles; text, complex numbers, dates, objects and ragged lists are errors that name the argument."""
    try:
        array = np.asarray(values)
        numbers = array.astype(float, copy=False) if array.dtype.kind in "fiub" else None
    except (TypeError, ValueError) as error:
        raise UnveilError(f"{name} must hold numbers in a regular shape: {error}") from error
    if numbers is None:
        raise UnveilError(f"{name} must hold numbers, not {array.dtype}")
    return numbers
