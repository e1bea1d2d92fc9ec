"""Labels read back from a mean operator: why an exact release is no privacy at all.

m·μ = Xᵀy is a set of d linear equations for m unknown signs. Up to m = d they are solved by elimination. Beyond that it
helps that signs are bounded: within the cube [−1, 1]^m the true corner is typically the only solution until about
m = 2d. Here the cube is kept by a barrier, whose weight falls until the equations hold as well as their noise allows;
where many solutions remain, that leads to their centre, which is the fairest guess.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import cho_factor, cho_solve

from unveil.errors import require, require_number
from unveil.types import Array, Floats, as_numbers

#: The barrier's weight falls by this factor at a time, down to the last one where the release is exact.
FALL = 0.1
LAST = 1e-12
#: Newton steps for one weight, and the squared decrement at which they end early.
STEPS = 25
SMALL = 1e-3


def reconstruct_labels(X: ArrayLike, mu: ArrayLike, noise_deviation: float = 0.0) -> Array:
    """The most plausible labels ±1, from public features and a mean operator that may carry noise.

    Solves m·μ = Xᵀy for signs, the attack on an exact release of the statistic of Patrini et al. (2016, algorithm 3).

    Parameters
    ----------
    X : array-like of shape (m, n_features)
        The public features.
    mu : array-like of shape (n_features,)
        The released mean operator.
    noise_deviation : float
        The standard deviation of the noise in its entries.

    Returns
    -------
    ndarray of int8, shape (m,)
        The guessed labels.

    See Also
    --------
    mean_operator : the statistic.
    MeanOperatorRelease : noise that keeps labels apart.

    Examples
    --------
    >>> from unveil import mean_operator, reconstruct_labels
    >>> X = [[1.0, 0.2, 0.3], [0.8, 1.0, 0.1], [-1.0, 0.1, 0.7], [-0.5, -1.0, 0.4]]
    >>> reconstruct_labels(X, mean_operator(X, [1, -1, -1, 1]))
    array([ 1, -1, -1,  1], dtype=int8)
    """
    labels: Array = np.where(relax_labels(X, mu, noise_deviation) >= 0, 1, -1).astype(np.int8)
    return labels


def relax_labels(X: ArrayLike, mu: ArrayLike, noise_deviation: float = 0.0) -> Floats:
    """The s in (−1, 1)^m with the least ‖Xᵀs − mμ‖²/(2τ) − Σ log(1 − sᵢ²), where τ is the noise's variance."""
    require_number(noise_deviation, "noise_deviation")
    features, target = as_numbers(X, "X"), as_numbers(mu, "mu")
    require(features.ndim == 2 and features.size > 0, "X must be a matrix with at least one row and one column")
    m, d = features.shape
    require(target.shape == (d,), f"mu must have shape ({d},), one number a column of X, got {target.shape}")
    require(np.all(np.isfinite(features)) and np.all(np.isfinite(target)), "X and mu must hold finite numbers")
    require(0 <= noise_deviation < np.inf, f"noise_deviation must be at least 0 and finite, got {noise_deviation}")
    require(np.abs(features).max() <= 1e100 and np.abs(target).max(initial=0) <= 1e100, "X and mu must be below 1e100")
    size = float(np.linalg.norm(features, 2))
    if size == 0:
        return np.zeros(m)
    A, b = np.ascontiguousarray(features.T / size), m * target / size
    last = max((m * noise_deviation / size) ** 2, LAST)
    s: Floats = np.zeros(m)
    weight = max(1.0, last)
    while True:
        s = _centre(A, b, weight, s)
        if weight <= last:
            return s
        weight = max(weight * FALL, last)


def _centre(A: Floats, b: Floats, weight: float, s: Floats) -> Floats:
    """Newton's method from an interior point; the Hessian is a diagonal plus rank d (Woodbury)."""
    value = _objective(A, b, weight, s)
    for _ in range(STEPS):
        slack = 1 - s**2
        gradient = A.T @ (A @ s - b) / weight + 2 * s / slack
        inverse = slack**2 / (2 * (1 + s**2))
        small = (A * inverse) @ A.T
        small[np.diag_indices_from(small)] += weight
        step = inverse * gradient
        step = inverse * (A.T @ cho_solve(cho_factor(small), A @ step)) - step
        decrement = -float(gradient @ step)
        if decrement <= SMALL:
            return s
        moved = _walk(A, b, weight, s, step, value, decrement)
        if moved is None:
            return s
        s, value = moved
    return s


def _walk(
    A: Floats, b: Floats, weight: float, s: Floats, step: Floats, value: float, decrement: float
) -> tuple[Floats, float] | None:
    """Almost to the boundary at most, and less while that brings no descent."""
    with np.errstate(divide="ignore"):
        farthest = np.min(np.where(step > 0, 1 - s, 1 + s) / np.abs(step))
    length = min(1.0, 0.99 * float(farthest))
    for _ in range(40):
        there = s + length * step
        reached = _objective(A, b, weight, there)
        if reached <= value - 1e-4 * length * decrement:
            return there, reached
        length /= 2
    return None


def _objective(A: Floats, b: Floats, weight: float, s: Floats) -> float:
    residual = A @ s - b
    return float(residual @ residual) / (2 * weight) - float(np.sum(np.log1p(-(s**2))))
