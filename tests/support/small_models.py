"""Random small models for property tests, and sums over states written as plainly as possible."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st


class SmallModel(NamedTuple):
    """Statistics, parameter and supervision of a random finite model."""

    phi: np.ndarray[Any, Any]
    theta: np.ndarray[Any, Any]
    supervision: np.ndarray[Any, Any]


@st.composite
def small_models(draw: st.DrawFn, binary: bool = False, upper: float = 1.0) -> SmallModel:
    """A model of 3 to 6 states and 1 or 2 statistics in [0, upper], seen through an invertible channel."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    d = draw(st.integers(1, 2))
    m = draw(st.integers(d + 2, 6))
    k = draw(st.integers(m, 7))
    phi = rng.uniform(0, upper, (m, d))
    if binary:
        phi = rng.integers(0, 2, (m, d)).astype(float)
    phi[: d + 1] = np.vstack([np.zeros(d), upper * np.eye(d)])
    # A diagonal that dominates keeps the channel well conditioned, so that 1e-9 is a fair demand.
    supervision = rng.dirichlet(np.ones(k), m).T + 2 * np.eye(k, m)
    return SmallModel(phi, rng.normal(size=d), supervision / supervision.sum(axis=0))


def state_probabilities(model: SmallModel) -> list[float]:
    """p_θ(y), one state at a time."""
    weights = [float(np.exp(row @ model.theta)) for row in model.phi]
    return [weight / sum(weights) for weight in weights]


def covariance(values: list[Any], weights: list[float]) -> np.ndarray[Any, Any]:
    """Cov of a vector that takes `values` with probabilities ∝ `weights`, by two explicit sums."""
    total = sum(weights)
    mean = sum(w * np.asarray(v) for w, v in zip(weights, values, strict=True)) / total
    result = sum(w * np.outer(v - mean, v - mean) for w, v in zip(weights, values, strict=True)) / total
    return np.asarray(result)
