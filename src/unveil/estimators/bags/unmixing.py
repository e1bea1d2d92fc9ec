"""Class ratios of a test set from mean scores, by undoing the mixing that held-out bags show.

If the mean score of a set depends on its class ratios alone, it is linear in them: s(U) = Bᵀρ. Held-out
bags with known proportions give B; solving for ρ then corrects a classifier's bias, whatever the classifier
was trained on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.numerics.simplex import check_proportions, project_to_simplex
from unveil.types import Array


def tell_apart(proportions: Array) -> bool:
    """Whether bags with such proportions tell all classes apart, which (A0) asks for."""
    return bool(np.linalg.matrix_rank(proportions, tol=1e-9) == proportions.shape[1])


def class_scores(bag_scores: ArrayLike, proportions: ArrayLike) -> Array:
    """B, the mean score of every class: (classes, scores), by least squares over the held-out bags."""
    scores, rows = np.asarray(bag_scores, dtype=float), check_proportions(proportions)
    require(scores.ndim == 2 and len(scores) == len(rows), "bag_scores must have one row for each held-out bag")
    require(tell_apart(rows), "proportions must tell all classes apart (A0)")
    return np.asarray(np.linalg.lstsq(rows, scores, rcond=None)[0])


def unmix(scores: ArrayLike, per_class: Array) -> Array:
    """ρ with Bᵀρ nearest to the mean scores of a test set, projected onto the simplex; one test set a row."""
    rows = np.atleast_2d(np.asarray(scores, dtype=float))
    # The sum of ρ is known to be one: eliminate the last class, so that equal columns of B cannot unbalance
    # it.
    base, steps = per_class[-1], per_class[:-1] - per_class[-1]
    free = np.linalg.lstsq(steps.T, (rows - base).T, rcond=None)[0].T
    return project_to_simplex(np.column_stack([free, 1.0 - free.sum(axis=1)]))
