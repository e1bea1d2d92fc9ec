"""From inner products of kernel means to mixture weights, and from weights to class ratios (section 2.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.estimators.bags.mmd_gram import as_bags, check_points
from unveil.numerics.simplex import check_proportions, project_to_simplex
from unveil.types import Array, as_numbers

#: Released shares are rounded to two digits at worst.
_ROUNDED = 0.005


def mixture_weights(gram: Array, cross: Array) -> Array:
    """α̂ of equation (5) for every bandwidth and query: (widths, queries, bags).

    Least squares with no constraint on α at all, neither its sum nor its signs: the sets need not surround
    the test set. The normal equations Ĝα = â are solved as they stand, without a ridge; the shortest
    solution where Ĝ is singular.
    """
    solved = [np.linalg.lstsq(g, a, rcond=None)[0].T for g, a in zip(gram, cross, strict=True)]
    return np.stack(solved)


def without_own_noise(gram: Array, sizes: Array) -> Array:
    """Ĝ with the diagonal (nĜ_ii − 1)/(n − 1): the mean over pairs of different points, unbiased for ‖Φ_i‖².

    The diagonal of (5) holds every point's product with itself, which is one: 1/n too much, a ridge in effect.
    """
    require((sizes >= 2).all(), "bags must hold at least two points each for the unbiased diagonal")
    clean = gram.copy()
    each = np.arange(len(sizes))
    clean[..., each, each] = (sizes * gram[..., each, each] - 1.0) / (sizes - 1.0)
    return clean


def class_embeddings(proportions: Array, sizes: Array, noise: float | Array = 0.0) -> Array:
    """W, (classes, bags), which makes the kernel means of the classes from those of the bags: Φ_y ≈ Σ_i W_yi Φ̂_i.

    Least squares over the bags, each weighted by its size: bags of equal proportions are pooled, and with as many bags
    as classes it is the inverse of the proportions. `noise` is the standard deviation of what veils a proportion, of
    all bags or of each: with more bags than classes it pulls the classes together, for which the moments are corrected
    (errors in variables, with noise that sums to zero over the classes), unless it outweighs them.
    """
    _, moments = _moments(proportions, sizes, noise)
    return np.asarray(np.linalg.solve(moments, (proportions * sizes[:, None]).T))


def meant_shares(proportions: Array, sizes: Array, noise: float | Array = 0.0) -> Array:
    """What veiled proportions say of the true ones, (bags, classes): P̂M⁻¹M_c, with M_c the corrected moments M.

    The weights of the unbiased form, α = Wᵀ(WĜWᵀ)⁻¹Wâ, are the same for every basis AW of its rows: no correction of W
    alone can change them. They depend on the noise, so carried back through P̂ it does not cancel: in the
    limit P̂ᵀα = MM_c⁻¹ρ. These shares satisfy W·P̃ = I, and P̃ᵀα is the mixture of class means, ρ.
    """
    plain, corrected = _moments(proportions, sizes, noise)
    return proportions if corrected is plain else np.asarray(proportions @ np.linalg.solve(plain, corrected))


def _moments(proportions: Array, sizes: Array, noise: float | Array) -> tuple[Array, Array]:
    """M = Σ n p pᵀ as it is seen, and without the noise of the proportions: one array where nothing is corrected."""
    pooled = float(np.sqrt((np.square(noise) * sizes).sum() / sizes.sum()))
    plain = proportions.T @ (proportions * sizes[:, None])
    return plain, remove_noise(plain, float(sizes.sum()), len(proportions), pooled)


def remove_noise(moments: Array, points: float, bags: int, noise: float) -> Array:
    """Σ n p pᵀ of proportions without the noise that veils them, unless it outweighs them."""
    classes = len(moments)
    if noise > 0.0 and bags > classes:
        corrected = moments - noise**2 * points * (np.eye(classes) - 1.0 / classes) * classes / (classes - 1.0)
        if np.linalg.eigvalsh(corrected)[0] > 0.1 * np.linalg.eigvalsh(moments)[0]:
            return np.asarray(corrected)
    return moments


def unbiased_weights(gram: Array, cross: Array, embeddings: Array) -> Array:
    """α̂ as `mixture_weights`, from Ĝ without its own noise and through the kernel means of the classes.

    Ĝ of more bags than classes has no full rank without noise, so the means of the classes are matched:
    α = Wᵀ(WĜWᵀ)⁻¹Wâ. With as many bags as classes it is Ĝ⁻¹â.
    """
    reduced = embeddings @ gram @ embeddings.T
    return np.asarray(mixture_weights(reduced, embeddings @ cross) @ embeddings)


def is_definite(gram: Array, embeddings: Array) -> Array:
    """Whether the classes' kernel means can be told apart beyond their noise, at each bandwidth."""
    values = np.linalg.eigvalsh(embeddings @ gram @ embeddings.T)
    return np.asarray(values[..., 0] > 1e-9 * values[..., -1])


def class_ratios(weights: Array, proportions: Array) -> Array:
    """Proj(P̂ α̂): the estimate of section 2.3, for weights (…, bags) and proportions (bags, classes)."""
    return project_to_simplex(weights @ proportions)


def l1_errors(weights: Array, proportions: Array, truth: Array) -> Array:
    """Mean over queries of the L1 distance to `truth` (queries, classes), for weights (…, queries, bags)."""
    return np.asarray(np.abs(class_ratios(weights, proportions) - truth).sum(axis=-1).mean(axis=-1))


def shares_from(proportions: ArrayLike, name: str = "proportions") -> Array:
    """Proportions as rows of the simplex: also from class counts, and from shares that were rounded to two digits."""
    rows = as_numbers(proportions, name)
    if rows.ndim != 2 or not np.isfinite(rows).all() or (rows < 0.0).any():
        return check_proportions(rows, name)
    totals = rows.sum(axis=1)
    counts = bool((rows == np.floor(rows)).all() and (totals >= 2.0).all())
    rounded = bool((np.abs(totals - 1.0) <= _ROUNDED * rows.shape[1]).all())
    return check_proportions(rows / totals[:, None] if counts or rounded else rows, name)


def check_bag_proportions(bags: Sequence[ArrayLike], proportions: ArrayLike) -> Array:
    """Proportions that fit the bags and satisfy (A0): their affine hull holds the simplex."""
    require(len(as_bags(bags, "bags")) >= 2, "bags must be at least two: one set cannot tell classes apart")
    rows = shares_from(proportions)
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
    held_out = check_points(bags, "validation bags", features)
    truth = shares_from(proportions, "validation proportions")
    require(
        truth.shape == (len(held_out), classes) and len(held_out) > 0,
        "validation proportions must have one row for each of the bags, and a column a class",
    )
    return held_out, truth
