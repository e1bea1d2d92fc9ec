"""A kernel support vector machine by sequential minimal optimisation, made for many warm starts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from unveil.types import Array


@njit(cache=True)
def _minimise(
    kernel: Array, labels: Array, cost: float, dual: Array, scores: Array, tolerance: float, steps: int
) -> float:
    """Minimise ½β'Kβ − y'β over Σβ_i = 0, 0 ≤ y_i β_i ≤ C in place, keeping scores = Kβ; returns b.

    Each step moves the pair with the greatest decrease of the quadratic model among those with the point that
    violates most (Fan, Chen and Lin 2005).
    """
    n, offset = len(labels), 0.0
    # Looked up many times: the most and the least that each dual can be, and the diagonal, which lies far apart.
    most = np.where(labels > 0.0, cost, 0.0)
    least, diagonal = most - cost, np.diag(kernel).copy()
    for _ in range(steps):
        up, lowest, highest = -1, np.inf, -np.inf
        for i in range(n):
            slope = scores[i] - labels[i]
            rising, falling = slope if dual[i] < most[i] else np.inf, slope if dual[i] > least[i] else -np.inf
            if rising < lowest:
                up, lowest = i, rising
            highest = max(highest, falling)
        if up < 0 or highest == -np.inf:  # all labels agree, or nothing can move
            return -highest if up < 0 else -lowest
        offset = -0.5 * (lowest + highest)
        if highest - lowest < tolerance:
            break
        down, best, curvature, row = -1, 0.0, 1.0, kernel[up]
        for j in range(n):
            gap = scores[j] - labels[j] - lowest
            if gap > 0.0 and dual[j] > least[j]:
                bend = max(diagonal[up] + diagonal[j] - 2.0 * row[j], 1e-12)
                if gap * gap > best * bend:
                    down, best, curvature = j, gap * gap / bend, bend
        if down < 0:
            break
        room, give = most[up] - dual[up], dual[down] - least[down]
        step = min((scores[down] - labels[down] - lowest) / curvature, room, give)
        dual[up] += step
        dual[down] -= step
        other = kernel[down]
        for j in range(n):
            scores[j] += step * (row[j] - other[j])
    return offset


class Solution(NamedTuple):
    """The dual β, the offset b, and the scores Kβ without it."""

    dual: Array
    offset: float
    scores: Array


def solve_svm(
    kernel: Array, labels: Array, cost: float, dual: Array, scores: Array | None = None, tolerance: float = 1e-2
) -> Solution:
    """Minimise ½‖w‖² + C Σ hinge(y_i (w·φ_i + b)), warm from any `dual`; its scores are spared, if known."""
    beta, start = _balance(kernel, labels, dual, kernel @ dual if scores is None else scores)
    largest = float(np.abs(beta).max())
    if largest > 0.0:
        # The best multiple: all that lay at the bound of a lower cost goes to the new one without a single step.
        linear, square, most = float(labels @ beta), float(beta @ start), cost / largest
        growth = linear / square if linear < most * square else most
        beta, start = growth * beta, growth * start
        beta = np.where(np.abs(beta) > cost * (1.0 - 1e-12), cost * labels, beta)
    offset = _minimise(kernel, labels, cost, beta, start, tolerance, 20 * len(labels))
    return Solution(beta, offset, start)


def _balance(kernel: Array, labels: Array, dual: Array, scores: Array) -> tuple[Array, Array]:
    """A dual near `dual` with the signs of the labels and the sum zero, and its scores.

    What belongs to another label goes; what the heavier side has too much comes off the points that want it least.
    """
    beta = np.where(dual * labels > 0.0, dual, 0.0)
    excess = float(beta.sum())
    if abs(excess) > 1e-12 * np.abs(beta).sum():
        heavier = np.flatnonzero(beta * excess > 0.0)
        order = heavier[np.argsort(-np.sign(excess) * scores[heavier], kind="stable")]
        amounts = np.abs(beta[order])
        before = np.cumsum(amounts) - amounts
        beta[order] -= np.sign(excess) * np.clip(abs(excess) - before, 0.0, amounts)
    return beta, scores if (beta == dual).all() else kernel @ beta
