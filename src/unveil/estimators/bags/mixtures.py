"""From inner products of kernel means to mixture weights, and from weights to class ratios (section 2.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.estimators.bags.mmd_gram import as_bags, checked_points
from unveil.numerics.simplex import checked_proportions, project_to_simplex
from unveil.types import Array


def mixture_weights(gram: Array, cross: Array) -> Array:
    """α̂ of equation (5) for every bandwidth and query: (widths, queries, bags).

    Least squares with no constraint on α at all, neither its sum nor its signs: the sets need not surround
    the test set. The normal equations Ĝα = â are solved as they stand, without a ridge; the shortest
    solution where Ĝ is singular.
    """
    solved = [np.linalg.lstsq(g, a, rcond=None)[0].T for g, a in zip(gram, cross, strict=True)]
    return np.stack(solved)


def class_ratios(weights: Array, proportions: Array) -> Array:
    """Proj(P̂ α̂): the estimate of section 2.3, for weights (…, bags) and proportions (bags, classes)."""
    return project_to_simplex(weights @ proportions)


def l1_errors(weights: Array, proportions: Array, truth: Array) -> Array:
    """Mean over queries of the L1 distance to `truth` (queries, classes), for weights (…, queries, bags)."""
    return np.asarray(np.abs(class_ratios(weights, proportions) - truth).sum(axis=-1).mean(axis=-1))


def checked_bag_proportions(bags: Sequence[ArrayLike], proportions: ArrayLike) -> Array:
    """Proportions that fit the bags and satisfy (A0): their affine hull holds the simplex."""
    require(len(as_bags(bags, "bags")) >= 2, "bags must be at least two: one set cannot tell classes apart")
    rows = checked_proportions(proportions)
    require(len(rows) == len(bags), "proportions must have one row for each of the bags")
    classes = rows.shape[1]
    rank = int(np.linalg.matrix_rank(rows, tol=1e-9))
    require(
        rank == classes,
        f"proportions must have the whole simplex in their affine hull (A0): "
        f"{classes} classes need rank {classes}, not {rank}",
    )
    return rows


def held_out_bags(validation: object, features: int, classes: int) -> tuple[list[Array], Array]:
    """The bags of a validation pair, at least one, and their proportions: one row for each."""
    require(
        isinstance(validation, tuple | list) and len(validation) == 2,
        "validation must be a pair: bags, and their proportions",
    )
    bags, proportions = cast("tuple[object, ArrayLike]", validation)
    held_out = checked_points(bags, "validation bags", features)
    truth = checked_proportions(proportions, "validation proportions")
    require(
        truth.shape == (len(held_out), classes) and len(held_out) > 0,
        "validation proportions must have one row for each of the bags, and a column a class",
    )
    return held_out, truth
