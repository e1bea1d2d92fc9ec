"""Linear regression from estimated second moments (Raghunathan et al. 2016, section 7).

The statistics are x_i·x_j and x_i·y; their noisy estimates make a matrix that need not be positive, so that
solving the normal equations as they stand is worthless. Two remedies: drop the directions that noise could
have made, or clip the spectrum and add a ridge of the size of the noise.
"""

from __future__ import annotations

from math import isfinite
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from unveil.errors import require
from unveil.estimators.validation import require_choice, require_settings, validated
from unveil.types import Floats, as_numbers, as_reals, require_moderate

SOLVERS = ("truncated", "ridge")


def entry_noise(effective_n: float, keep: float, width: float = 1.0) -> float:
    """σ = width/(2√n_eff (2q − 1)): the largest standard deviation of a mean of n_eff debiased bits.

    `width` is the length of the interval that the statistics lie in: c, or 2c for signed ones.
    """
    require(effective_n > 0, "effective_n must be positive: how often the scarcest statistic is released")
    require(0.5 < keep <= 1, "keep must lie in (1/2, 1]")
    return float(width / (2 * np.sqrt(effective_n) * (2 * keep - 1)))


class MomentRegression(RegressorMixin, BaseEstimator):
    """Regression without intercept from moments that carry entrywise noise (Raghunathan et al. 2016, section 7).

    Parameters
    ----------
    solver : {"truncated", "ridge"}
        "truncated" drops the eigenvalues of E[xxᵀ] up to 2σ√d, where a symmetric matrix of noise with entries of
        standard deviation σ has its spectrum; "ridge" clips them at zero and adds σ√d.
    noise : float
        σ of the entries of the second-moment matrix; 0 for moments without noise.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The weights.
    rank_ : int
        How many eigenvalues were kept.
    n_features_in_ : int
        The number of features.

    See Also
    --------
    CoordinateRelease, PerValueRelease : mechanisms that release products of features, whose means are such moments.

    References
    ----------
    Raghunathan, Frostig, Duchi, Liang: Estimation from Indirect Supervision with Linear Moments. ICML 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from unveil import MomentRegression
    >>> X = np.random.default_rng(0).random((200, 3))
    >>> y = X @ [1.0, -2.0, 0.5]
    >>> MomentRegression().fit(X, y).coef_.round(6)
    array([ 1. , -2. ,  0.5])

    The third feature repeats the first, so that one eigenvalue is smaller than noise of 0.01 could make it:

    >>> X[:, 2] = X[:, 0]
    >>> model = MomentRegression(noise=0.01).fit_moments(X.T @ X / 200, X.T @ y / 200)
    >>> model.rank_
    2
    """

    def __init__(self, solver: str = "truncated", noise: float = 0.0) -> None:
        self.solver = solver
        self.noise = noise

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit to data in the clear: the moments are those of the sample."""
        features, target = validated(self, X, y, dtype=np.float64, y_numeric=True)
        as_reals(target, "y")
        return self.fit_moments(features.T @ features / len(features), features.T @ target / len(features))

    def fit_moments(self, second: ArrayLike, cross: ArrayLike) -> Self:
        """Fit to estimates of E[xxᵀ], shape (d, d), and E[x·y], shape (d,)."""
        require_choice(self.solver, SOLVERS, "solver")
        require_settings(self, ("noise",))
        require(isfinite(self.noise) and self.noise >= 0, "noise must be finite and at least 0")
        matrix, vector = as_numbers(second, "second"), as_numbers(cross, "cross")
        require(vector.ndim == 1 and matrix.shape == (len(vector),) * 2, "second must be (d, d) and cross (d,)")
        require(
            bool(np.isfinite(matrix).all() and np.isfinite(vector).all()), "second and cross: moments must be finite"
        )
        # Moments of data of up to 1e100 are squares of that.
        require_moderate(matrix, "second", 1e210)
        require_moderate(vector, "cross", 1e210)
        require(bool(np.allclose(matrix, matrix.T, rtol=1e-9)), "second must be symmetric")
        values, directions = np.linalg.eigh((matrix + matrix.T) / 2)
        self.coef_: Floats = directions @ (self._inverse(values) * (directions.T @ vector))
        self.rank_ = int(np.count_nonzero(self._inverse(values)))
        self.n_features_in_ = len(vector)
        return self

    def predict(self, X: ArrayLike) -> Floats:
        """Xw."""
        check_is_fitted(self)
        features = validated(self, X, dtype=np.float64, reset=False)
        predicted: Floats = features @ self.coef_
        return predicted

    def _inverse(self, values: Floats) -> Floats:
        """What each eigenvalue is replaced by; nothing below the rounding of the largest is ever inverted."""
        d = len(values)
        rounding = d * np.finfo(float).eps * max(float(np.abs(values).max()), np.finfo(float).tiny)
        if self.solver == "truncated":
            kept = values > max(2 * self.noise * np.sqrt(d), rounding)
            return np.where(kept, 1 / np.where(kept, values, 1.0), 0.0)
        lifted = np.maximum(values, 0.0) + self.noise * np.sqrt(d)
        return np.where(lifted > rounding, 1 / np.where(lifted > rounding, lifted, 1.0), 0.0)
