"""Asymptotic variances of the two estimators, by definition, for any finite model and any supervision matrix.

Raghunathan et al. (2016), section 5: Σ_marg of (13), Σ_mom of (14), and the efficiency of moments relative to
marginal likelihood.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.theory.finite_models import (
    TOLERANCE,
    as_parameters,
    as_statistics,
    as_supervision,
    fisher_information,
    marginal_information,
    observation_marginals,
    probabilities,
)
from unveil.types import Floats


def observation_function(phi: ArrayLike, supervision: ArrayLike) -> Floats:
    """β of (3) as an array (k, d): row o is β(o), with Σ_o S(o | y) β(o) = φ(y) for every y.

    β = Φ S⁺ exists exactly when the statistics are linear functions of the observation's distribution, so
    when the rows of Φ lie in the row space of S (section 6 prints the condition as Φ = SR; it is Φ = RS).
    """
    statistics = as_statistics(phi)
    matrix = as_supervision(supervision, states=len(statistics))
    beta = np.linalg.pinv(matrix).T @ statistics
    scale = 1 + np.abs(statistics).max()
    require(
        np.abs(matrix.T @ beta - statistics).max() <= TOLERANCE * scale,
        "phi must lie in the row space of supervision: no function of the observation has expectation phi",
    )
    return beta


def asymptotic_variances(phi: ArrayLike, theta: ArrayLike, supervision: ArrayLike) -> tuple[Floats, Floats]:
    """(Σ_marg, Σ_mom) of √n(θ̂ − θ): maximum marginal likelihood (13) and moments (14).

    Parameters
    ----------
    phi : (m, d) array
        The statistics of each state.
    theta : (d,) array
        The true parameter; the model is well specified.
    supervision : (k, m) array
        S[o, y], columns sum to one. The rows of Φ must lie in its row space.

    Returns
    -------
    sigma_marginal, sigma_moments : (d, d) arrays
        The covariances of Raghunathan et al. (2016), section 5.

    Examples
    --------
    >>> from unveil import asymptotic_variances, randomized_response_matrix
    >>> phi = [[0.0], [1.0], [2.0]]
    >>> marginal, moments = asymptotic_variances(phi, [1.0], randomized_response_matrix(3, 0.5))
    >>> marginal.round(2), moments.round(2)
    (array([[12.36]]), array([[13.95]]))
    """
    statistics = as_statistics(phi)
    truth = as_parameters(theta, statistics)
    require(truth.ndim == 1, "theta must be one vector (d,)")
    information, middle, seen = variance_parts(statistics, truth, supervision)
    marginal = inverse_information(seen, "the observations")
    complete = inverse_information(information, "the states")
    return marginal, complete @ middle @ complete


def variance_parts(phi: ArrayLike, theta: ArrayLike, supervision: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """(I, Cov[β(o)], I_marg) at θ: the information of the states, the middle of (14), that of the observations."""
    statistics = as_statistics(phi)
    truth = as_parameters(theta, statistics)
    matrix = as_supervision(supervision, states=len(statistics))
    beta = observation_function(statistics, matrix)
    # Cov[β(o)] = I + E[Cov[β(o) | y]]
    centred = beta - probabilities(statistics, truth) @ statistics
    middle = (centred * observation_marginals(statistics, truth, matrix)[:, None]).T @ centred
    return fisher_information(statistics, truth), middle, marginal_information(statistics, truth, matrix)


def relative_efficiency(phi: ArrayLike, theta: ArrayLike, supervision: ArrayLike) -> float:
    """Eff = d⁻¹ tr(Σ_marg Σ_mom⁻¹) of Raghunathan et al. (2016), section 5, the y-axis of figure 3: at most one.

    Parameters
    ----------
    phi, theta, supervision
        As for `asymptotic_variances`.

    Returns
    -------
    float
        How much of what marginal likelihood learns from a record the moment estimator learns.

    Examples
    --------
    >>> from unveil import randomized_response_matrix, relative_efficiency
    >>> round(relative_efficiency([[0.0], [1.0], [2.0]], [1.0], randomized_response_matrix(3, 0.5)), 3)
    0.886
    """
    return efficiency_of(*asymptotic_variances(phi, theta, supervision))


def efficiency_of(sigma_marginal: Floats, sigma_moments: Floats) -> float:
    """d⁻¹ tr(Σ_marg Σ_mom⁻¹) of two covariance matrices."""
    return float(np.trace(np.linalg.solve(sigma_moments, sigma_marginal)) / len(sigma_marginal))


def inverse_information(information: Floats, source: str) -> Floats:
    """The inverse of an information matrix, or an error where the parameter is not identified."""
    scale = np.sqrt(np.diagonal(information))
    require((scale > 0).all(), f"theta is not identified: with this phi {source} carry no information on a coordinate")
    correlation = information / np.outer(scale, scale)
    require(
        np.linalg.eigvalsh(correlation)[0] > 1e-12,
        f"theta is not identified: the information that {source} carry is singular",
    )
    return np.asarray(np.linalg.inv(correlation) / np.outer(scale, scale))
