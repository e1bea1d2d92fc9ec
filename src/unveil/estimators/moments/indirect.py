"""Indirectly supervised learning over finitely many states, as estimators (Raghunathan et al. 2016, section 2)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from unveil.errors import require
from unveil.estimators.moments.solvers import estimated_moments, match_moments, maximise_marginal, maximise_marginal_em
from unveil.estimators.validation import require_choice, require_settings
from unveil.theory.finite_models import as_parameters, as_statistics, as_supervision, probabilities
from unveil.types import Floats, as_numbers, as_reals

METHODS = ("scoring", "em")


class _IndirectEstimator(BaseEstimator, ABC):
    """What both estimators share: observations are counted, and the fit depends on their frequencies alone."""

    phi: ArrayLike
    supervision: ArrayLike

    def fit(self, observations: ArrayLike, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn passes it
        """Fit to observations: integers from 0 to k − 1, the rows of the supervision matrix."""
        seen = as_reals(observations, "observations")
        require(seen.ndim == 1 and len(seen) > 0, "observations must have shape (n,), n at least 1")
        outcomes = len(as_supervision(self.supervision, len(as_statistics(self.phi))))
        require(
            seen.dtype.kind in "iu" and 0 <= seen.min() <= seen.max() < outcomes,
            "observations must be integers from 0 to k - 1: rows of supervision",
        )
        return self.fit_frequencies(np.bincount(seen, minlength=outcomes) / len(seen))

    @abstractmethod
    def fit_frequencies(self, frequencies: ArrayLike) -> Self:
        """Fit to the frequencies q̂ of the observations, shape (k,)."""

    def predict_proba(self) -> Floats:
        """p_θ̂(y), shape (m,)."""
        check_is_fitted(self)
        statistics = as_statistics(self.phi)
        return probabilities(statistics, as_parameters(self.coef_, statistics))


class LinearMoments(_IndirectEstimator):
    """θ̂_mom: a linear system for the sufficient statistics, then convex optimisation (figure 2).

    The method of moments of Raghunathan et al. (2016, section 2): μ̂ = Σ_o q̂(o) β(o) with β = Φ S⁺, then the θ
    with E_θ[φ] = μ̂.

    Parameters
    ----------
    phi : array-like of shape (m, d)
        The statistics φ of each state.
    supervision : array-like of shape (k, m)
        S[o, y], the probability of observing o in state y; columns sum to one. The rows of Φ must lie in its row space.

    Attributes
    ----------
    moments_ : ndarray of shape (d,)
        μ̂, the estimated E[φ].
    coef_ : ndarray of shape (d,)
        θ̂.

    See Also
    --------
    MarginalLikelihood : more efficient, and not convex.
    asymptotic_variances : how precise either is.

    Examples
    --------
    One of three answers is asked for under randomized response, and the frequencies of what was said are known:

    >>> import numpy as np
    >>> from unveil import LinearMoments, randomized_response_matrix
    >>> supervision = randomized_response_matrix(3, epsilon=1.0)
    >>> model = LinearMoments(phi=[[0, 0], [1, 0], [0, 1]], supervision=supervision)
    >>> model.fit_frequencies(supervision @ [0.2, 0.3, 0.5]).predict_proba().round(6)
    array([0.2, 0.3, 0.5])
    """

    def __init__(self, phi: ArrayLike, supervision: ArrayLike) -> None:
        self.phi = phi
        self.supervision = supervision

    def fit_frequencies(self, frequencies: ArrayLike) -> Self:
        """Fit to the frequencies q̂ of the observations, shape (k,)."""
        seen = _one_distribution(frequencies)
        self.moments_: Floats = estimated_moments(seen, self.phi, self.supervision)
        self.coef_: Floats = match_moments(self.moments_, self.phi)
        return self


class MarginalLikelihood(_IndirectEstimator):
    """θ̂_marg: the best of the stationary points of (2) that are reached from several starts.

    Maximises the likelihood of the observations (Raghunathan et al. 2016, section 2), which need not be concave.

    Parameters
    ----------
    phi : array-like of shape (m, d)
        The statistics φ of each state.
    supervision : array-like of shape (k, m)
        S[o, y], the probability of observing o in state y; columns sum to one.
    method : {"scoring", "em"}
        Damped Fisher scoring, or expectation maximisation.
    starts : array-like of shape (s, d), optional
        Where to begin; by default θ = 0 and ±`reach` along every axis.
    reach : float
        How far the default starts stand from zero.
    steps : int
        The largest number of EM iterations.

    Attributes
    ----------
    coef_ : ndarray of shape (d,)
        θ̂.
    ends_, log_marginals_ : ndarrays of shape (s, d) and (s,)
        Where each start led, and the mean log-likelihood there.

    See Also
    --------
    LinearMoments : the convex alternative.
    asymptotic_variances : how precise either is.

    Examples
    --------
    One of three answers is asked for under randomized response, and the frequencies of what was said are known:

    >>> import numpy as np
    >>> from unveil import MarginalLikelihood, randomized_response_matrix
    >>> supervision = randomized_response_matrix(3, epsilon=1.0)
    >>> model = MarginalLikelihood(phi=[[0, 0], [1, 0], [0, 1]], supervision=supervision)
    >>> model.fit_frequencies(supervision @ [0.2, 0.3, 0.5]).predict_proba().round(6)
    array([0.2, 0.3, 0.5])
    """

    def __init__(
        self,
        phi: ArrayLike,
        supervision: ArrayLike,
        method: str = "scoring",
        starts: ArrayLike | None = None,
        reach: float = 3.0,
        steps: int = 2000,
    ) -> None:
        self.phi = phi
        self.supervision = supervision
        self.method = method
        self.starts = starts
        self.reach = reach
        self.steps = steps

    def fit_frequencies(self, frequencies: ArrayLike) -> Self:
        """Fit to the frequencies q̂ of the observations, shape (k,)."""
        require_choice(self.method, METHODS, "method")
        require_settings(self, ("reach",), ("steps",))
        require(0 <= self.reach <= 1e6, f"reach must lie between 0 and 1e6, not {self.reach!r}")
        require(1 <= self.steps <= 10**9, f"steps must lie between 1 and 10^9, not {self.steps!r}")
        seen, starts = _one_distribution(frequencies), self._starts()
        if self.method == "em":
            ends, values = maximise_marginal_em(seen, self.phi, self.supervision, starts, self.steps)
        else:
            ends, values = maximise_marginal(seen, self.phi, self.supervision, starts)
        best = int(np.argmax(values))
        self.ends_: Floats = ends
        self.log_marginals_: Floats = values
        self.coef_: Floats = ends[best]
        return self

    def _starts(self) -> Floats:
        statistics = as_statistics(self.phi)
        d = statistics.shape[1]
        if self.starts is None:
            return np.vstack([np.zeros(d), self.reach * np.eye(d), -self.reach * np.eye(d)])
        starts = as_parameters(self.starts, statistics, "starts")
        require(starts.ndim == 2 and len(starts) > 0, "starts must have shape (s, d), s at least 1")
        return starts


def _one_distribution(frequencies: ArrayLike) -> Floats:
    seen = as_numbers(frequencies, "frequencies")
    require(seen.ndim == 1, "frequencies must be one distribution (k,)")
    return seen
