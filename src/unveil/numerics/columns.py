"""Columns of a table as features: a number is one, a category one for each name of its public list."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import sqrt

import numpy as np

from unveil.errors import require
from unveil.types import Array


def column_places(columns: Sequence[int]) -> list[tuple[int, int]]:
    """Where the features of each column begin, and how many it makes."""
    return list(zip([0, *accumulate(columns)], columns, strict=False))


def require_categories(X: Array, columns: Sequence[int]) -> None:
    """Raise unless the features are those of the columns, and of a category's one at most is set."""
    wide = sum(columns)
    require(X.shape[1] == wide, f"X must have the {wide} features of its columns, got {X.shape[1]}")
    for start, width in column_places(columns):
        own = X[:, start : start + width]
        fine = width == 1 or bool(((own == 0) | (own == 1)).all() and (own.sum(axis=1) <= 1).all())
        require(fine, "X must hold a single one, and zeros, in the features of a category")


def public_products(columns: Sequence[int], classified: bool) -> Array:
    """Which products of z = (features, 1, target) follow from others, or are the same for all records.

    The square of the constant, and of a target that is one of two classes; products of two categories of one column,
    which are zero, or else the categories themselves.
    """
    d = sum(columns)
    known = np.zeros((d + 2, d + 2), dtype=bool)
    for start, width in column_places(columns):
        known[start : start + width, start : start + width] = width > 1
    known[d, d], known[d + 1, d + 1] = True, classified
    return known


def bit_flip(flip: float, states: int) -> float:
    """How often a category's bits are flipped, beside numbers of so many states that are replaced so often.

    Two records differ in two bits of a category at most, so that two of its bits share the level of a number.
    """
    return 0.0 if flip == 0 else 1 / (1 + sqrt((1 - flip) * (states - 1) / flip))
