"""A kernel support vector machine by sequential minimal optimisation, made for many warm starts."""

from __future__ import annotations

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
    n = len(labels)
    offset = 0.0
    for _ in range(steps):
        up, lowest, highest = -1, np.inf, -np.inf
        for i in range(n):
            slope = scores[i] - labels[i]
            if dual[i] < (cost if labels[i] > 0 else 0.0) and slope < lowest:
                up, lowest = i, slope
            if dual[i] > (0.0 if labels[i] > 0 else -cost) and slope > highest:
                highest = slope
        if up < 0 or highest == -np.inf:  # all labels agree, or nothing can move
            return -highest if up < 0 else -lowest
        offset = -0.5 * (lowest + highest)
        if highest - lowest < tolerance:
            break
        down, best, curvature = -1, 0.0, 1.0
        for j in range(n):
            gap = scores[j] - labels[j] - lowest
            if gap > 0.0 and dual[j] > (0.0 if labels[j] > 0 else -cost):
                bend = max(kernel[up, up] + kernel[j, j] - 2.0 * kernel[up, j], 1e-12)
                if gap * gap > best * bend:
                    down, best, curvature = j, gap * gap / bend, bend
        if down < 0:
            break
        room = (cost if labels[up] > 0 else 0.0) - dual[up]
        give = dual[down] - (0.0 if labels[down] > 0 else -cost)
        step = min((scores[down] - labels[down] - lowest) / curvature, room, give)
        dual[up] += step
        dual[down] -= step
        for j in range(n):
            scores[j] += step * (kernel[up, j] - kernel[down, j])
    return offset


def solve_svm(kernel: Array, labels: Array, cost: float, dual: Array, tolerance: float = 1e-2) -> tuple[Array, float]:
    """The dual β and the offset b of min ½‖w‖² + C Σ hinge(y_i (w·φ_i + b)), warm from `dual`."""
    beta = np.clip(dual * labels, 0.0, cost) * labels
    positive, negative = beta[beta > 0].sum(), -beta[beta < 0].sum()
    if positive > 0 and negative > 0:  # a changed label may have unbalanced the sum: shrink the heavier side
        beta = np.where(beta > 0, beta * min(1.0, negative / positive), beta * min(1.0, positive / negative))
    else:
        beta[:] = 0.0
    scores = kernel @ beta
    offset = _minimise(kernel, labels, cost, beta, scores, tolerance, 20 * len(labels))
    return beta, offset
