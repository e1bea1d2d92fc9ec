"""Demonstrations of Raghunathan et al. (2016), sections 3.2 and 5: mechanisms through φ, a faithful copy of y."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from unveil.theory.asymptotics import inverse_information
from unveil.theory.finite_models import as_parameters, as_statistics, as_supervision, fisher_information
from unveil.theory.release_variances import moment_variance
from unveil.types import Floats


def through_statistics(supervision: ArrayLike, phi: ArrayLike) -> Floats:
    """S'[o, y] = the mean of S[o, y'] over the states y' with φ(y') = φ(y): (18), where x is empty.

    It sees y through φ(y) only, is at least as private as S, and gives o the same distribution under every
    member of the exponential family, because p_θ is constant where φ is. Another distribution has
    another average, which obeys (8) too.
    """
    statistics = as_statistics(phi)
    matrix = as_supervision(supervision, len(statistics))
    _, group = np.unique(statistics, axis=0, return_inverse=True)
    same = (group.ravel()[:, None] == group.ravel()[None, :]).astype(float)
    averaged: Floats = matrix @ (same / same.sum(axis=0))
    return averaged


def faithful_copy_variances(theta: float) -> tuple[float, float]:
    """(Σ_marg, Σ_mom) of section 5's example: y ∈ {0, 1}, o = [y, y + η] with η ~ N(0, 1), β(o) = (o₁ + o₂)/2.

    The observation determines y, so marginal likelihood loses nothing; β keeps the noise η/2.
    """
    statistics = np.array([[0.0], [1.0]])
    truth = as_parameters([theta], statistics)
    marginal = inverse_information(fisher_information(statistics, truth), "the states")
    moments = moment_variance(statistics, truth, np.array([[0.25]]))
    return float(marginal[0, 0]), float(moments[0, 0])
