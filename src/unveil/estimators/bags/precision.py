"""How far the estimate by kernel means is off, foretold from the sets alone: by bias, and by the delta method.

Near the truth the residual of (5) is small, and the estimate is a mean: with B = P̂ᵀA, where α̂ = A·â, and
h(x) = B·k(x), k_i(x) = ⟨Φ̂_i, Φ(x)⟩, it is ρ̂ = mean_U h, and a change of bag i moves it by −α_i times the change of
that bag's mean of h. Given its class, a point's h varies by v_y, so that

    Var ρ̂ = Σ_y ρ_y v_y / n_U + Σ_i α_i² Σ_y P_iy v_y / n_i,

where the shares of the classes in each bag are known and add nothing. With the unbiased Ĝ, the expectation of ρ̂ is
B·Ĝ·Wᵀρ: ρ itself for the unbiased diagonal, and drawn to the mean of the bags' proportions for the printed one. Where
proportions are veiled, B of the unbiased diagonal has `meant_shares` in the place of P̂.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from unveil.estimators.bags.mixtures import class_embeddings
from unveil.types import Array


def second_moments(similarities: Array, starts: Array) -> Array:
    """The mean of k(x)k(x)ᵀ over each set of points: (widths, sets, bags, bags) from (widths, bags, points)."""
    parts = [similarities[:, :, a:b] for a, b in pairwise(starts)]
    return np.stack([part @ part.transpose(0, 2, 1) / part.shape[2] for part in parts], axis=1)


def leave_own_out(similarities: Array, starts: Array) -> Array:
    """The bags' own points with the mean over the *other* points of their bag: else every point sees itself."""
    own = similarities.copy()
    for i, (a, b) in enumerate(pairwise(starts)):
        own[:, i, a:b] = ((b - a) * own[:, i, a:b] - 1.0) / max(b - a - 1.0, 1.0)
    return own


def class_variances(
    reader: Array, clean: Array, moments: Array, embeddings: Array, shares: Array, sizes: Array
) -> Array:
    """v, (…, classes y, entries k): the variance of h_k(x) within class y, from moments of sets with `shares`."""
    each = np.einsum("...ka,...sab,...kb->...sk", reader, moments, reader)
    squares = class_embeddings(shares, sizes) @ each
    means = (reader @ clean @ embeddings.T).swapaxes(-1, -2)
    return np.asarray(np.maximum(squares - means**2, 0.0))


def variance(within: Array, ratios: Array, size: Array, weights: Array, proportions: Array, sizes: Array) -> Array:
    """Var ρ̂ by entry, (queries, classes), for test sets of `size` with `ratios` and mixture `weights`."""
    return np.asarray(ratios @ within / size + (weights**2 / sizes) @ (proportions @ within))


def interval_ends(middle: Array, ratios: Array, margin: float, spread: Callable[[Array], Array]) -> tuple[Array, Array]:
    """Where the ratios lie that the estimates do not speak against: lower and upper ends, (queries, classes).

    They are the t of a class with (ρ̂ − t)² ≤ margin² Var(t), the variance being what it is if t is true and not what it
    is at ρ̂ (Wilson 1927, Fieller 1954). It is greater beyond the bags' own ratios than between them, and where they
    hardly differ an interval by Var(ρ̂) is too short for ratios at the ends. The other classes keep their proportions to
    each other, as in `ratios`. `spread` gives the variances of ratios, (queries, classes); it is quadratic.
    """
    classes = ratios.shape[1]
    low, high = np.zeros_like(middle), np.ones_like(middle)
    for k in range(classes):
        one = np.eye(classes)[k]
        others = ratios * (1.0 - one)
        total = others.sum(axis=1, keepdims=True)
        others = np.where(total > 0.0, others / np.where(total > 0.0, total, 1.0), (1.0 - one) / (classes - 1))
        at_zero, half, at_one = (spread(others + t * (one - others))[:, k] for t in (0.0, 0.5, 1.0))
        bend = 2.0 * (at_zero - 2.0 * half + at_one)
        slope = at_one - at_zero - bend
        square = 1.0 - margin**2 * bend
        linear = middle[:, k] + margin**2 * slope / 2.0
        root = np.sqrt(np.maximum(linear**2 - square * (middle[:, k] ** 2 - margin**2 * at_zero), 0.0))
        bounded = square > 0.0
        low[bounded, k], high[bounded, k] = ((linear + sign * root)[bounded] / square[bounded] for sign in (-1, 1))
    return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)


def expected_risk(
    reader: Array, clean: Array, within: Array, embeddings: Array, proportions: Array, sizes: Array
) -> Array:
    """The mean of ‖ρ̂ − ρ‖² over all ratios ρ alike, before the projection: squared bias and variance, at each width.

    ASSUME: test sets are as large as the training bags are on average, and every ratio is as likely as every other.
    """
    classes = proportions.shape[1]
    every = (np.eye(classes) + 1.0) / (classes * (classes + 1.0))  # E ρρᵀ
    bias = reader @ clean @ embeddings.T - np.eye(classes)
    squares = np.einsum("ij,jk,ik->i", embeddings.T, every, embeddings.T)  # E α_i²
    test = within.mean(axis=-2).sum(axis=-1) / sizes.mean()
    train = (proportions @ within).sum(axis=-1) @ (squares / sizes)
    with np.errstate(over="ignore", invalid="ignore"):  # a width at which the matrix is all but singular
        # Second order: ρ̂ divides by a matrix that is off by a share η of variance 4·train; E(1 + η)⁻² ≈ 1 + 3 Var η.
        spread = (test + train) * (1.0 + 12.0 * train)
        risk = np.einsum("...ij,jk,...ik->...", bias, every, bias) + spread
    return np.where(np.isnan(risk), np.inf, risk)
