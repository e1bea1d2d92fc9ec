"""The strategy of section 4: given a likelihood and an invertible noise, maximise the spread likelihood.

A model is a function from its free parameters to log p_θ over finitely many states and the derivatives of
these. By Fisher's identity the gradient of log p̃_θ(x̃) is the posterior mean, given x̃, of the gradient of
log p_θ(x), so no model needs to know of the noise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.special import expit, log_expit, logsumexp

from unveil.errors import require
from unveil.types import Floats, as_numbers, require_moderate

#: From free parameters (k,) to log-probabilities (m,) and their derivatives (m, k).
Model: TypeAlias = Callable[[Floats], tuple[Floats, Floats]]


def bernoulli(logit: Floats) -> tuple[Floats, Floats]:
    """States 0 and 1, (10); the free parameter is the log-odds of 1."""
    one = expit(logit[0])
    return np.array([log_expit(-logit[0]), log_expit(logit[0])]), np.array([[-one], [1 - one]])


def categorical(logits: Floats) -> tuple[Floats, Floats]:
    """States 0 … m − 1, with the log-odds of all but the first against the first as free parameters."""
    scores = np.concatenate([[0.0], logits])
    log_p = scores - logsumexp(scores)
    return log_p, (np.eye(len(scores)) - np.exp(log_p))[:, 1:]


@dataclass(frozen=True)
class SpreadLikelihood:
    """The spread log-likelihood (27) of a model over finitely many states, seen through `noise` (Barber, section 4).

    A model is a function from its free parameters (k,) to log p_θ (m,) and the derivatives of these (m, k). Called
    with a model, its parameters and observed counts, the likelihood returns its mean and the gradient; `maximise`
    finds (33).

    Parameters
    ----------
    noise : ndarray of shape (m, m)
        P[i, j] = p(x̃ = i | x = j). Columns sum to one; invertible, so that different models give different noisy
        laws (section 2).

    See Also
    --------
    SpreadLogisticRegression : the same for a logistic regression on many inputs.

    Examples
    --------
    Flips turn a fifth of the zeros and three tenths of the ones; of what is seen half are ones:

    >>> import numpy as np
    >>> from scipy.special import expit
    >>> from unveil import SpreadLikelihood
    >>> from unveil.estimators.spread.likelihood import bernoulli
    >>> likelihood = SpreadLikelihood(np.array([[0.8, 0.3], [0.2, 0.7]]))
    >>> expit(likelihood.maximise(bernoulli, counts=[50, 50], start=[0.0])).round(6)
    array([0.6])
    """

    noise: Floats

    def __post_init__(self) -> None:
        """Check that the noise is a channel that can be undone."""
        matrix: Floats = as_numbers(self.noise, "noise")
        require(matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1], "noise must be a square matrix")
        require(matrix.size > 0, "noise must hold at least one state")
        require(np.isfinite(matrix).all() and (matrix >= 0).all(), "noise must hold finite probabilities")
        require(np.allclose(matrix.sum(axis=0), 1), "the columns of noise must sum to one")
        require(np.linalg.cond(matrix) < 1e12, "noise must be invertible: otherwise θ cannot be told from its image")

    def __call__(self, model: Model, parameters: Floats, counts: ArrayLike) -> tuple[float, Floats]:
        """The mean spread log-likelihood of observed state `counts` (m,), and its gradient."""
        log_p, derivatives = model(parameters)
        joint = self.noise * np.exp(log_p)
        seen = joint.sum(axis=1)
        share = self._shares(counts)
        present = share > 0
        with np.errstate(divide="ignore"):
            value = float(share[present] @ np.log(seen[present]))
        posterior = joint[present] / np.maximum(seen[present], np.finfo(float).tiny)[:, None]
        return value, (share[present] @ posterior) @ derivatives

    def maximise(self, model: Model, counts: ArrayLike, start: ArrayLike) -> Floats:
        """The free parameters at the maximum (33) reached from `start`, by L-BFGS.

        Where the maximum lies at the edge of the model (more ones seen than even the noise explains, say) the
        free parameters run off towards it and end where the likelihood is flat to rounding.
        """
        first: Floats = np.atleast_1d(as_numbers(start, "start"))
        require(first.ndim == 1 and first.size > 0, "start must be a vector of the model's free parameters")
        require_moderate(first, "start", 1e6)
        self._shares(counts)

        def descent(parameters: Floats) -> tuple[float, Floats]:
            value, gradient = self(model, parameters, counts)
            return -value, -gradient

        options = {"maxiter": 10_000, "maxfun": 20_000, "ftol": 1e-15, "gtol": 1e-9, "maxcor": 30}
        found: Floats = minimize(descent, first, jac=True, method="L-BFGS-B", options=options).x
        return found

    def _shares(self, counts: ArrayLike) -> Floats:
        array: Floats = as_numbers(counts, "counts")
        require(array.shape == (len(self.noise),), f"counts must hold one number for each of {len(self.noise)} states")
        require(
            np.isfinite(array).all() and (array >= 0).all() and array.sum() > 0,
            "counts must not be negative, nor all 0",
        )
        require_moderate(array, "counts")
        shares: Floats = array / array.sum()
        return shares
