"""Plain logistic regression by gradient ascent, many penalties and subsets of the rows at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import expit

from unveil.errors import require
from unveil.types import Array, Floats


def ascend(
    inputs: Floats,
    labels: Array,
    l2: Sequence[float],
    rate: float,
    checkpoints: Sequence[int],
    rows: Array | None = None,
) -> Floats:
    """Weights (checkpoints, fits, d) from θ = 0, steps of `rate` on the mean gradient, penalty l2/2 ‖θ‖².

    Fit j has the penalty `l2[j]` and learns from the images where `rows[:, j]` is set (all by default).
    """
    chosen = np.ones((len(inputs), len(l2)), bool) if rows is None else rows
    share = (chosen / chosen.sum(axis=0)).astype(inputs.dtype)
    penalty = np.asarray(l2, dtype=inputs.dtype)
    # From zero, weights are sums of rows: with fewer rows than inputs their shares are what is stepped, by one product.
    few = len(inputs) < inputs.shape[1]
    features = inputs @ inputs.T if few else inputs
    theta: Floats = np.zeros((features.shape[1], len(l2)), inputs.dtype)
    path = {}
    for iteration in range(1, max(checkpoints) + 1):
        residual = share * (labels[:, None] - expit(features @ theta))
        theta = theta + rate * ((residual if few else inputs.T @ residual) - penalty * theta)
        if iteration in checkpoints:
            path[iteration] = theta.T @ inputs if few else theta.T
    require(np.isfinite(theta).all(), "the weights grew without bound: lower rate or l2")
    return np.stack([path[point] for point in checkpoints])


def tuned_path(
    inputs: Floats, labels: Array, l2: Sequence[float], rate: float, checkpoints: Sequence[int], folds: int
) -> tuple[Floats, Floats]:
    """Weights (checkpoints, d) with, for every checkpoint, the penalty of least cross-validated log-loss.

    The folds are every `folds`-th row, so rows should come in random order. Returns the chosen penalties too.
    """
    require(folds <= len(inputs), "folds must be at most the number of rows")
    held_out = np.arange(len(inputs))[:, None] % folds == np.arange(folds)
    # The last fits learn from everything.
    chosen = np.hstack([~np.tile(held_out, len(l2)), np.ones((len(inputs), len(l2)), bool)])
    fits = ascend(inputs, labels, [*np.repeat(l2, folds).tolist(), *l2], rate, checkpoints, chosen)
    tried, everything = np.split(fits, [folds * len(l2)], axis=1)
    signs = 2.0 * labels[:, None] - 1
    losses = np.array(
        [np.sum(np.logaddexp(0, -signs * (inputs @ part.T)) * np.tile(held_out, len(l2)), axis=0) for part in tried]
    )
    best = losses.reshape(len(checkpoints), len(l2), folds).sum(axis=2).argmin(axis=1)
    return everything[np.arange(len(checkpoints)), best], np.asarray(l2, dtype=float)[best]
