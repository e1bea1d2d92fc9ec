"""Linear discriminant from noisy second moments: a classifier from what a holder of the table released."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import require, warn
from unveil.estimators.linear import LinearClassifier
from unveil.estimators.moments.noisy_moments import SOLVERS, NoisyMoments
from unveil.estimators.validation import require_choice, validate
from unveil.protocols.base import Release


class MomentClassifier(LinearClassifier):
    """Linear discriminant analysis of two classes from second moments of features and class.

    The means of the classes and their common covariance are functions of these moments. Its direction is that of least
    squares on classes ±1, so noise is dealt with as `MomentRegression` does it.

    Parameters
    ----------
    solver : {"ridge", "truncated"}
        What is done with the noisy spectrum, as for `MomentRegression`; the same without noise.

    Attributes
    ----------
    coef_, intercept_ : ndarrays of shape (1, n_features) and (1,)
        The log-odds of the second class.
    covariance_ : ndarray
        Of the weights and the intercept, of noise and sample, by the delta method: the directions that were kept given,
        and the factor between least squares and log-odds taken as known.
    rank_ : int
        How many eigenvalues were kept.
    skill_ : float
        Which share of the class's variance least squares are expected to explain of other records; where it may be none
        `fit` warns.
    classes_ : ndarray of shape (2,)
        The labels in order.
    n_features_in_ : int
        The number of features.

    See Also
    --------
    ExactMoments : what a holder of the table releases.

    Examples
    --------
    >>> import numpy as np
    >>> from unveil import ExactMoments, MomentClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((20_000, 3))
    >>> y = np.where(X @ [1.0, -1.0, 0.5] + rng.normal(0, 0.2, 20_000) > 0.2, "yes", "no")
    >>> release = ExactMoments(1.0).publish((X, y), classes=("no", "yes"))
    >>> bool(MomentClassifier().fit(release).score(X, y) > 0.8)
    True
    """

    def __init__(self, solver: str = "ridge") -> None:
        self.solver = solver

    def fit(self, X: ArrayLike | Release, y: ArrayLike | None = None) -> Self:
        """Learn from a release of the protocol "moments" about two classes, or from data in the clear."""
        require_choice(self.solver, SOLVERS, "solver")
        if isinstance(X, Release):
            X.require_protocol("moments", "MomentClassifier")
            require("classes" in X.parameters, "release must have two classes as its target: take MomentRegression")
            self.classes_ = np.asarray(X.parameters["classes"])
            self.n_features_in_ = int(X.number("dimension")) - 1
            return self._learn(NoisyMoments.of(X))
        features, labels = validate(self, X, y, dtype=np.float64)
        return self._learn(NoisyMoments.in_the_clear(features, 2.0 * self._name_classes(labels) - 1.0))

    def _learn(self, moments: NoisyMoments) -> Self:
        fit, d = moments.solve(self.solver), len(moments.scale)
        z, balance = moments.matrix[:d, d], float(np.clip(moments.matrix[d, d + 1], -1 + 1e-6, 1 - 1e-6))
        shares = (1 - balance) / 2, (1 + balance) / 2
        # Σ over a class is half of Σ z ± Σ z·y.
        means = [
            (z - sign * moments.matrix[:d, d + 1]) / (2 * share) for sign, share in zip((1, -1), shares, strict=True)
        ]
        # Least squares on ±1 are the discriminant but for a factor, which one minus its R² has in it.
        stretch = 1 / (2 * shares[0] * shares[1] * (min(max(fit.rest / fit.spread, 1e-3), 1.0) if fit.spread else 1.0))
        weights = stretch * fit.weights[:d]
        offset = np.log(shares[1] / shares[0]) - weights @ (means[0] + means[1]) / 2
        back = fit.in_shares()
        found = back @ np.append(weights, offset)
        self.coef_, self.intercept_ = found[None, :-1], found[-1:]
        self.covariance_ = stretch**2 * back @ fit.covariance @ back.T
        self.rank_, (self.skill_, doubt) = fit.rank, fit.skill
        if self.skill_ <= doubt and moments.deviations.any():
            warn("at this level the model is expected to be no better than the majority")
        return self
