"""Indirectly supervised learning over finitely many states, as estimators (Raghunathan et al. 2016, section 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from unveil.errors import NoEstimate, require
from unveil.estimators.moments.solvers import (
    as_frequencies,
    check_observations,
    estimate_moments,
    match_moments,
    maximise_marginal,
    maximise_marginal_em,
    one_scoring_step,
    outcomes,
)
from unveil.estimators.validation import require_choice, require_settings
from unveil.theory.asymptotics import inverse_information, variance_parts
from unveil.theory.finite_models import as_parameters, as_statistics, probabilities
from unveil.theory.geometry import closest_distributions
from unveil.types import Floats, as_numbers, as_reals


class _IndirectEstimator(BaseEstimator):
    """The law of the states by the parameters that were found."""

    def predict_proba(self) -> Floats:
        """p_θ̂(y), shape (m,); given each value of x (g, m)."""
        check_is_fitted(self, "coef_")
        if np.ndim(self.phi) == 3:
            return np.array([probabilities(as_statistics(own), self.coef_) for own in as_numbers(self.phi, "phi")])
        statistics = as_statistics(self.phi)
        return probabilities(statistics, as_parameters(self.coef_, statistics))


@dataclass(eq=False, repr=False)
class LinearMoments(_IndirectEstimator):
    """θ̂_mom: a linear system for the sufficient statistics, then convex optimisation (figure 2).

    The method of moments of Raghunathan et al. (2016, section 2): μ̂ = Ê[β(x, o)] with β = Φ S⁺, then the θ
    with Ê[E_θ[φ | x]] = μ̂.

    Parameters
    ----------
    phi : array-like of shape (m, d), or (g, m, d)
        The statistics φ of each state; given each of g values of x where there is an x.
    supervision : array-like of shape (k, m)
        S[o, y], the probability of observing o in state y; columns sum to one. The rows of Φ must lie in its row space.
    project : None or "kl"
        Whether moments that no θ has are an error, or first moved to the closest distribution, as (17) does with the
        Kullback-Leibler divergence; half an observation of each state keeps θ finite.
    one_step : bool
        Whether one scoring step on the likelihood (2) follows, which makes the estimate as efficient as its maximum.

    Attributes
    ----------
    moments_ : ndarray of shape (d,)
        μ̂, the estimated E[φ].
    coef_ : ndarray of shape (d,)
        θ̂.
    covariance_ : ndarray of shape (d, d)
        The asymptotic covariance of √n(θ̂ − θ) at θ̂: by (14), with `one_step` by (13).
    counts_ : ndarray of shape (g, k)
        How often each observation came, given each value of x.

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

    Of few answers the debiased frequencies may be no distribution:

    >>> supervision = randomized_response_matrix(3, epsilon=0.2)
    >>> model = LinearMoments([[0, 0], [1, 0], [0, 1]], supervision, project="kl", one_step=True)
    >>> model.fit([0] * 2 + [1] * 6 + [2] * 12).predict_proba().round(1)
    array([0. , 0.1, 0.9])

    More answers come in batches:

    >>> model.partial_fit([0] * 100).partial_fit([1] * 80).counts_
    array([[102.,  86.,  12.]])
    """

    phi: ArrayLike
    supervision: ArrayLike
    project: str | None = None
    one_step: bool = False

    def fit(self, observations: ArrayLike, y: Any = None, x: ArrayLike | None = None) -> Self:  # noqa: ARG002
        """Fit to observations: integers from 0 to k − 1, the rows of the supervision matrix.

        `x`, where φ depends on it, is the number from 0 to g − 1 of the value that goes with each observation.
        """
        require(np.size(as_reals(observations, "observations")) > 0, "observations must have shape (n,), n at least 1")
        counts = self._count(observations, x)
        self._fit_table(counts, float(counts.sum()))
        self.counts_ = counts
        return self

    def partial_fit(self, observations: ArrayLike, y: Any = None, x: ArrayLike | None = None) -> Self:  # noqa: ARG002
        """Take in another batch of observations, as if all had come at once; it may be empty.

        As long as no θ has the estimated moments, there is no `coef_` yet; with ``project="kl"`` there always is one.
        """
        return self._take(self._count(observations, x))

    def merge(self, other: LinearMoments) -> Self:
        """Take in what another model of the same `phi` and `supervision` was fitted to: other observations, or none."""
        require(isinstance(other, LinearMoments), f"other must be a LinearMoments, not {type(other).__name__}")
        for name in ("phi", "supervision"):
            same = np.array_equal(np.asarray(getattr(self, name)), np.asarray(getattr(other, name)))
            require(same, f"only models of the same {name} merge")
        counts = getattr(other, "counts_", None)
        return self if counts is None else self._take(counts)

    def _take(self, counts: Floats) -> Self:
        self.counts_ = counts + getattr(self, "counts_", 0.0)
        total = float(self.counts_.sum())
        if total == 0:
            return self
        try:
            return self._fit_table(self.counts_, total)
        except NoEstimate:
            for name in ("moments_", "coef_", "covariance_"):
                self.__dict__.pop(name, None)
            return self

    def _count(self, observations: ArrayLike, x: ArrayLike | None) -> Floats:
        """How often each observation came, given each value of x: (g, k)."""
        k, groups = outcomes(self.phi, self.supervision), 1 if np.ndim(self.phi) == 2 else len(np.asarray(self.phi))
        seen = as_reals(observations, "observations")
        if seen.shape == (0,):
            return np.zeros((groups, k))
        seen = check_observations(seen, self.phi, self.supervision)
        given = np.zeros(len(seen), dtype=np.int64) if x is None else as_reals(x, "x")
        require(x is not None or groups == 1, "x must be given: phi depends on it")
        inside = given.shape == seen.shape and given.dtype.kind in "iu" and 0 <= given.min() <= given.max() < groups
        require(inside, "x must be integers from 0 to g - 1, one an observation")
        return np.bincount(given * k + seen, minlength=groups * k).reshape(groups, k).astype(float)

    def fit_frequencies(self, frequencies: ArrayLike) -> Self:
        """Fit to the frequencies q̂ of the observations, shape (k,), or (g, k) jointly with x."""
        seen = as_numbers(frequencies, "frequencies")
        require(seen.ndim == np.ndim(self.phi) - 1, "frequencies must be one distribution (k,), or (g, k) with x")
        k = outcomes(self.phi, self.supervision)
        as_frequencies(seen.reshape(1, -1), len(np.asarray(self.phi)) * k if seen.ndim == 2 else k)
        self.__dict__.pop("counts_", None)
        # They are taken for those of a large sample.
        return self._fit_table(np.atleast_2d(seen), 10**12)

    def _fit_table(self, table: Floats, n: float) -> Self:
        require(self.project in (None, "kl"), f'project must be None or "kl", not {self.project!r}')
        occurs = table.sum(axis=1) > 0
        statistics = as_numbers(self.phi, "phi")
        families = (statistics if statistics.ndim == 3 else statistics[None])[occurs]
        shares = table[occurs].sum(axis=1) / table.sum()
        given = table[occurs] / table[occurs].sum(axis=1, keepdims=True)
        if self.project is None:
            means = [estimate_moments(q, phi, self.supervision) for q, phi in zip(given, families, strict=True)]
        else:
            nearest = project_frequencies(given, as_numbers(self.supervision, "supervision"), shares * n)
            means = [p @ phi for p, phi in zip(nearest, families, strict=True)]
        self.moments_: Floats = shares @ np.array(means)
        self.coef_: Floats = match_moments(self.moments_, families, shares=shares.tolist())
        if self.one_step:
            self.coef_ = one_scoring_step(given, families, self.supervision, self.coef_, shares.tolist())
        known = [variance_parts(phi, self.coef_, self.supervision) for phi in families]
        complete, middle, marginal = (np.tensordot(shares, part, 1) for part in zip(*known, strict=True))
        if self.one_step:
            self.covariance_: Floats = inverse_information(marginal, "the observations")
        else:
            inverse = inverse_information(complete, "the states")
            self.covariance_ = inverse @ middle @ inverse
        return self


@dataclass(eq=False, repr=False)
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

    phi: ArrayLike
    supervision: ArrayLike
    method: str = "scoring"
    starts: ArrayLike | None = None
    reach: float = 3.0
    steps: int = 2000

    def fit(self, observations: ArrayLike, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn passes it
        """Fit to observations: integers from 0 to k − 1, the rows of the supervision matrix."""
        seen = check_observations(observations, self.phi, self.supervision)
        return self.fit_frequencies(np.bincount(seen, minlength=outcomes(self.phi, self.supervision)) / len(seen))

    def fit_frequencies(self, frequencies: ArrayLike) -> Self:
        """Fit to the frequencies q̂ of the observations, shape (k,)."""
        require_choice(self.method, ("scoring", "em"), "method")
        require_settings(self, ("reach",), ("steps",))
        require(0 <= self.reach <= 1e6, f"reach must lie between 0 and 1e6, not {self.reach!r}")
        require(1 <= self.steps <= 10**9, f"steps must lie between 1 and 10^9, not {self.steps!r}")
        seen, starts = as_numbers(frequencies, "frequencies"), self._starts()
        require(seen.ndim == 1, "frequencies must be one distribution (k,)")
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


def project_frequencies(frequencies: Floats, supervision: Floats, sizes: Floats) -> Floats:
    """The distributions over the states that are closest to frequencies (..., k), kept off the edge of the simplex.

    ASSUME: half an observation of each state, as Jeffreys would have it: on the edge θ would be infinite.
    """
    nearest, sizes = closest_distributions(frequencies, supervision), np.asarray(sizes)[..., None]
    return np.asarray((sizes * nearest + 0.5) / (sizes + supervision.shape[1] / 2))
