"""Where plain logistic regression ends with flipped labels and noised Gaussian inputs (appendix B).

Everything it needs to know of x̃ ~ N(μ, C), C = Σ + σ²I, is two projections: v = C⁻¹Σθ₀, because E[θ₀ᵀx | x̃]
is linear in vᵀx̃, and C⁻¹μ. By Stein's lemma the optimum without an intercept lies in their span; with one, or
with μ = 0, along v. So for flipped labels alone the direction is right for every Σ, and noise on the inputs
turns it unless θ₀ is an eigenvector of Σ.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.linalg import orth, sqrtm
from scipy.special import expit

from unveil.errors import require
from unveil.types import Floats


@dataclass(frozen=True)
class NoisyRegression:
    """Inputs N(`mean`, `covariance`), labels φ(θ₀ᵀx); flips by `label_matrix`, noise N(0, `variance`)."""

    theta0: Floats
    mean: Floats
    covariance: Floats
    label_matrix: Floats
    variance: float

    @property
    def noisy_covariance(self) -> Floats:
        """C, the covariance of x̃."""
        return self.covariance + self.variance * np.eye(len(self.theta0))

    @property
    def projection(self) -> Floats:
        """The direction v = C⁻¹Σθ₀."""
        found: Floats = np.linalg.solve(self.noisy_covariance, self.covariance @ self.theta0)
        return found

    def noisy_label_given_input(self, centred: Floats) -> Floats:
        """p(c̃ = 1 | x̃) for rows of x̃ − μ, by quadrature over what x̃ leaves open of θ₀ᵀx."""
        known = self.theta0 @ self.mean + centred @ self.projection
        total = self.theta0 @ self.covariance @ self.theta0
        left = np.sqrt(max(float(total - self.theta0 @ self.covariance @ self.projection), 0.0))
        nodes, weights = np.polynomial.hermite_e.hermegauss(40)
        one = expit(known[:, None] + left * nodes) @ (weights / weights.sum())
        noisy: Floats = self.label_matrix[1, 0] + (self.label_matrix[1, 1] - self.label_matrix[1, 0]) * one
        return noisy

    def optimum(self, intercept: bool) -> Floats:
        """θ at the maximum of (90) in the limit of much data."""
        root: Floats = np.real(sqrtm(self.noisy_covariance))
        directions = [self.projection]
        if not intercept:
            directions.append(np.linalg.solve(self.noisy_covariance, self.mean))
        basis = orth(np.column_stack([direction for direction in directions if np.any(direction)]))
        inside = orth(root @ basis)
        nodes, mass = normal_grid(inside.shape[1])
        centred = nodes @ inside.T @ root
        features = (self.mean + centred) @ basis
        if intercept:
            features = np.column_stack([features, np.ones(len(features))])
        weights = fit_logistic(features, self.noisy_label_given_input(centred), mass)
        found: Floats = basis @ weights[: basis.shape[1]]
        return found


@cache
def normal_grid(dimensions: int) -> tuple[Floats, Floats]:
    """Nodes and masses of a product rule for a standard normal in one or two dimensions."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    grid = np.stack(np.meshgrid(*[nodes] * dimensions), axis=-1).reshape(-1, dimensions)
    mass = np.prod(np.stack(np.meshgrid(*[weights] * dimensions), axis=-1).reshape(-1, dimensions), axis=1)
    return grid, mass / mass.sum()


def fit_logistic(features: Floats, targets: Floats, mass: Floats | None = None) -> Floats:
    """Maximum likelihood by Newton's method, targets in [0, 1], optional masses, no intercept of its own."""
    weights: Floats = np.full(len(features), 1 / len(features)) if mass is None else mass
    theta: Floats = np.zeros(features.shape[1])
    for _ in range(100):
        phi = expit(features @ theta)
        require(weights @ (phi * (1 - phi)) > 1e-9, "the targets are separable: there is no finite maximum")
        gradient = (weights * (targets - phi)) @ features
        curvature = (features * (weights * phi * (1 - phi))[:, None]).T @ features
        step = np.linalg.solve(curvature, gradient)
        # Far steps overshoot where φ is flat: no step longer than 2 keeps the iteration monotone in practice.
        theta = theta + step * min(1.0, 2.0 / max(float(np.linalg.norm(step)), 1e-300))
        if np.abs(gradient).max() < 1e-12:
            return theta
    require(np.abs(gradient).max() < 1e-6, "Newton's method found no maximum of the likelihood")
    return theta


def angle(one: Floats, other: Floats) -> float:
    """The angle between two vectors, in degrees, exact for small angles too."""
    first, second = one / np.linalg.norm(one), other / np.linalg.norm(other)
    return float(np.degrees(2 * np.arctan2(np.linalg.norm(first - second), np.linalg.norm(first + second))))
