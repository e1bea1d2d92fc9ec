"""Linear regression from estimated second moments (Raghunathan et al. 2016, section 7).

The statistics are x_i·x_j and x_i·y; their noisy estimates make a matrix that need not be positive, so that
solving the normal equations as they stand is worthless. Two remedies: drop the directions that noise could
have made, or clip the spectrum and add a ridge of the size of the noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from unveil.errors import require
from unveil.estimators.moments.product_releases import entry_deviation, estimate_products
from unveil.estimators.validation import require_choice, require_settings, validate
from unveil.numerics.products import residual_slopes
from unveil.protocols.base import Release
from unveil.types import Floats, as_numbers, as_reals, require_moderate

SOLVERS = ("truncated", "ridge")


@dataclass(frozen=True)
class ProductSums:
    """Σ xxᵀ and Σ x·y over some records: all that regression needs of records in the clear."""

    records: int
    second: Floats
    cross: Floats

    @classmethod
    def of(cls, X: Floats, y: Floats) -> ProductSums:
        """Over the rows of a batch."""
        return cls(len(X), X.T @ X, X.T @ y)

    def merge(self, other: ProductSums) -> ProductSums:
        """Over the records of both."""
        same = len(self.cross) == len(other.cross)
        require(same, f"only models of as many features merge: {len(self.cross)} and {len(other.cross)}")
        return ProductSums(self.records + other.records, self.second + other.second, self.cross + other.cross)


class MomentRegression(RegressorMixin, BaseEstimator):
    """Regression from moments that carry entrywise noise (Raghunathan et al. 2016, section 7).

    An intercept is fitted where a release was published with one.

    Parameters
    ----------
    solver : {"truncated", "ridge"}
        "truncated" drops the eigenvalues of E[xxᵀ] up to 2σ√d, where a symmetric matrix of noise with entries of
        standard deviation σ has its spectrum; "ridge" clips them at zero and adds σ√d.
    noise : float, optional
        σ of the entries of the second-moment matrix; by default what a release says, and 0 for data in the clear.

    Attributes
    ----------
    coef_, intercept_ : ndarray of shape (n_features,), float
        The weights, and what is added to all predictions.
    second_, cross_ : ndarrays of shape (d, d) and (d,)
        E[xxᵀ], its negative eigenvalues set to zero as no second moments have such, and E[x·y]; with an intercept
        the last of d features is the constant.
    covariance_ : ndarray of shape (d, d), or None
        Of the weights, the constant's last; none where only moments were given, or records in the clear in batches.
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

    From what an owner published, with intervals:

    >>> from unveil import CoordinateRelease
    >>> rng = np.random.default_rng(1)
    >>> X = rng.random((500_000, 2))
    >>> release = CoordinateRelease(12.0).publish((X, X @ [0.6, 0.1] + 0.2), rng, intercept=True)
    >>> model = MomentRegression().fit(release)
    >>> model.coef_.round(1), round(model.intercept_, 1)
    (array([0.6, 0.1]), 0.2)
    >>> model.intervals().shape
    (3, 2)

    Two owners of different records:

    >>> other = CoordinateRelease(12.0).publish((X, X @ [0.6, 0.1] + 0.2), rng, intercept=True)
    >>> model.partial_fit(other).coef_.round(1)
    array([0.6, 0.1])
    """

    coef_: Floats
    covariance_: Floats | None
    #: What the last fit was to, as far as further batches need it.
    _seen: Release | ProductSums | None

    def __init__(self, solver: str = "truncated", noise: float | None = None) -> None:
        self.solver = solver
        self.noise = noise

    def fit(self, X: ArrayLike | Release, y: ArrayLike | None = None) -> Self:
        """Fit to a release of the protocol "products", or to data in the clear with the moments of the sample."""
        if isinstance(X, Release):
            return self._fit_release(X)
        features, target = validate(self, X, y, dtype=np.float64, y_numeric=True)
        as_reals(target, "y")
        inverse = self._fit_sums(ProductSums.of(features, target))
        errors = features * (target - features @ self.coef_)[:, None]
        self.covariance_ = inverse @ (errors.T @ errors) @ inverse / len(features) ** 2
        return self

    def partial_fit(self, X: ArrayLike | Release, y: ArrayLike | None = None) -> Self:
        """Take in another batch: records in the clear, or a release about other records.

        The fit is that to all batches at once, however the records were cut. Of records in the clear only sums of
        products are kept, so there is no `covariance_`. A batch may be empty.

        Parameters
        ----------
        X : array of shape (n, d), or Release
            Features; or a release of the protocol "products".
        y : array of shape (n,), optional
            The target, for records in the clear.

        Returns
        -------
        MomentRegression
            Itself.
        """
        if isinstance(X, Release):
            X.require_protocol("products", "MomentRegression")
            return self._take(X)
        if np.ndim(X) == 2 and np.shape(X)[0] == 0:
            return self
        reset = getattr(self, "_seen", None) is None
        features, target = validate(self, X, y, dtype=np.float64, y_numeric=True, reset=reset)
        as_reals(target, "y")
        return self._take(ProductSums.of(features, target))

    def merge(self, other: MomentRegression) -> Self:
        """Take in what another model was fitted to, which must be other records.

        Parameters
        ----------
        other : MomentRegression
            Fitted to releases if this one is, else to records in the clear; a model that saw nothing adds nothing.

        Returns
        -------
        MomentRegression
            Itself, as if fitted to the records of both.
        """
        require(isinstance(other, MomentRegression), f"other must be a MomentRegression, not {type(other).__name__}")
        seen = getattr(other, "_seen", None)
        return self if seen is None else self._take(seen)

    def _take(self, new: Release | ProductSums) -> Self:
        """Fit to all that was seen."""
        seen: Any = getattr(self, "_seen", None)
        require(seen is None or type(seen) is type(new), "batches must all be releases, or all be records in the clear")
        total = new if seen is None else seen.merge(new)
        if isinstance(total, Release):
            return self._fit_release(total)
        self._fit_sums(total)
        return self

    def _fit_sums(self, sums: ProductSums) -> Floats:
        inverse = self._solve(sums.second / sums.records, sums.cross / sums.records, 0.0)
        self._seen = sums
        return inverse

    def _fit_release(self, release: Release) -> Self:
        release.require_protocol("products", "MomentRegression")
        d, known = int(release.number("dimension")), estimate_products(release)
        inverse = self._solve(*known.moments(d), entry_deviation(release))
        # The delta method on both noisy moments: dw = P (dc − dS w).
        self.covariance_ = known.spread(residual_slopes(inverse, self.coef_))
        if release.parameters.get("intercept"):
            constant = float(np.sqrt(release.number("upper")))
            scale = np.append(np.ones(d - 1), constant)
            self.covariance_ = self.covariance_ * np.outer(scale, scale)
            self.coef_, self.intercept_ = self.coef_[:-1], float(self.coef_[-1] * constant)
            self._has_intercept = True
        self.n_features_in_ = len(self.coef_)
        self._seen = release
        return self

    def fit_moments(self, second: ArrayLike, cross: ArrayLike) -> Self:
        """Fit to estimates of E[xxᵀ], shape (d, d), and E[x·y], shape (d,).

        Without `noise` they are taken for moments without any, which has to be possible: E[xxᵀ] has no negative
        eigenvalue.
        """
        self._solve(second, cross, 0.0)
        self._seen = None
        values = np.linalg.eigvalsh(np.asarray(second, dtype=float))
        require(
            self.noise is not None or values[0] >= -1e-9 * abs(values[-1]),
            "noise must be given: second has negative eigenvalues, so it is noisy; or fit the release it comes from",
        )
        return self

    def _solve(self, second: ArrayLike, cross: ArrayLike, default: float) -> Floats:
        """Set what is learned from moments; what E[xxᵀ]⁻¹ is replaced by."""
        require_choice(self.solver, SOLVERS, "solver")
        if self.noise is not None:
            require_settings(self, ("noise",))
            require(isfinite(self.noise) and self.noise >= 0, "noise must be finite and at least 0")
        noise = default if self.noise is None else float(self.noise)
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
        inverses = self._inverse(values, noise)
        self.coef_ = directions @ (inverses * (directions.T @ vector))
        self.intercept_ = 0.0
        self._has_intercept = False
        self.rank_ = int(np.count_nonzero(inverses))
        self.second_: Floats = directions * np.maximum(values, 0.0) @ directions.T
        self.cross_: Floats = vector
        self.covariance_ = None
        self.n_features_in_ = len(vector)
        return np.asarray(directions * inverses @ directions.T)

    def predict(self, X: ArrayLike) -> Floats:
        """Xw, and the intercept."""
        check_is_fitted(self)
        features = validate(self, X, dtype=np.float64, reset=False)
        predicted: Floats = features @ self.coef_ + self.intercept_
        return predicted

    def intervals(self, level: float = 0.95) -> Floats:
        """(low, high) for each weight, the intercept's last; by the delta method, the directions that were kept given.

        Where the noise leaves directions out (`rank_` below their number), or a ridge was added, the intervals are
        those of the estimator's own expectation, not of the weights without noise.

        Parameters
        ----------
        level : float
            How often each covers.

        Returns
        -------
        ndarray of shape (n_features, 2), or one row more
            The ends.
        """
        check_is_fitted(self)
        require(0 < level < 1, "level must lie in (0, 1)")
        require(self.covariance_ is not None, "intervals need a release or data: moments alone say no precision")
        spread = np.sqrt(np.maximum(np.diagonal(np.asarray(self.covariance_)), 0.0))
        weights = np.append(self.coef_, self.intercept_) if self._has_intercept else self.coef_
        half = ndtri((1 + level) / 2) * spread
        return np.column_stack([weights - half, weights + half])

    def _inverse(self, values: Floats, noise: float) -> Floats:
        """What each eigenvalue is replaced by; nothing below the rounding of the largest is ever inverted."""
        d = len(values)
        rounding = d * np.finfo(float).eps * max(float(np.abs(values).max()), np.finfo(float).tiny)
        if self.solver == "truncated":
            kept = values > max(2 * noise * np.sqrt(d), rounding)
            return np.where(kept, 1 / np.where(kept, values, 1.0), 0.0)
        lifted = np.maximum(values, 0.0) + noise * np.sqrt(d)
        return np.where(lifted > rounding, 1 / np.where(lifted > rounding, lifted, 1.0), 0.0)
