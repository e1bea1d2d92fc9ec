"""The labelled risk and its factorization (Patrini et al. 2016, section 2), each written out for comparison."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unveil.types import Array, Floats


def labelled_risk(loss: Callable[[Floats], Floats], theta: Floats, X: Floats, y: Array) -> float:
    """The empirical risk as everybody writes it: the mean of f(yᵢ⟨θ, xᵢ⟩)."""
    return float(np.mean(loss(y * (X @ theta))))


def odd_residual(loss: Callable[[Floats], Floats], a: float, x: Floats) -> Floats:
    """f(x) − f(−x) + a·x, which theorem 3 asks to be zero everywhere."""
    residual: Floats = loss(x) - loss(-x) + a * x
    return residual


def best_constant(loss: Callable[[Floats], Floats], x: Floats) -> float:
    """The a whose line −a·x is nearest to f(x) − f(−x) in least squares over the points x."""
    return -float(x @ (loss(x) - loss(-x)) / (x @ x))


def conditional_log_likelihood(theta: Floats, X: Floats, y: Array) -> float:
    """(1): Σ yᵢ⟨θ, xᵢ⟩ − log(e^⟨θ, xᵢ⟩ + e^−⟨θ, xᵢ⟩), which is −m times the logistic risk at 2θ, by (2) and (3)."""
    margins = X @ theta
    return float(np.sum(y * margins) - np.sum(np.logaddexp(margins, -margins)))
