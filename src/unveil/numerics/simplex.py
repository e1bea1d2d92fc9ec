"""The probability simplex: projection onto it, and checks that vectors lie in it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.types import Array, as_numbers


def project_to_simplex(points: ArrayLike, total: ArrayLike = 1.0) -> Array:
    """The nearest vectors with entries ≥ 0 that sum to `total`: constrained least squares, row by row.

    `points` is one vector or one a row, `total` a number or one a row. The answer is max(x − t, 0), with the
    threshold t that makes the sum right; it is found from the sorted entries.
    """
    x = np.asarray(points, dtype=float)
    require(x.ndim >= 1 and x.shape[-1] >= 1, "points must have at least one entry")
    require(np.isfinite(x).all(), "points must be finite")
    goal = np.asarray(total, dtype=float)[..., None]
    require((goal > 0).all(), "total must be positive")
    descending = -np.sort(-x, axis=-1)
    thresholds = (np.cumsum(descending, axis=-1) - goal) / np.arange(1, x.shape[-1] + 1)
    last = np.sum(descending > thresholds, axis=-1, keepdims=True) - 1
    return np.asarray(np.maximum(x - np.take_along_axis(thresholds, last, axis=-1), 0.0))


def check_proportions(proportions: ArrayLike, name: str = "proportions") -> Array:
    """Proportions as a matrix whose rows lie in the simplex, or an error that names the rule."""
    rows = as_numbers(proportions, name)
    require(rows.ndim == 2 and rows.shape[1] >= 2, f"{name} must be a matrix: one row a set, one column a class")
    require(np.isfinite(rows).all(), f"{name} must be finite")
    require((rows >= -1e-9).all(), f"{name} must not be negative")
    require(np.allclose(rows.sum(axis=1), 1.0, rtol=0.0, atol=1e-6), f"{name} must sum to one in every set")
    return rows
