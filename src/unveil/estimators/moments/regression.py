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
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from unveil.errors import require, warn
from unveil.estimators.linear import normal_intervals
from unveil.estimators.moments.noisy_moments import SOLVERS, NoisyMoments, invert_spectrum
from unveil.estimators.moments.product_releases import entry_deviation, estimate_products
from unveil.estimators.validation import require_choice, require_settings, validate
from unveil.numerics.products import residual_slopes
from unveil.protocols.base import Release
from unveil.types import Floats, as_numbers, as_reals, require_moderate


@dataclass(frozen=True)
class ProductSums:
    """Σ zzᵀ and Σ z·y over some records, z their features and a one: all that regression needs in the clear."""

    records: int
    second: Floats
    cross: Floats

    @classmethod
    def of(cls, X: Floats, y: Floats) -> ProductSums:
        """Over the rows of a batch."""
        design = np.column_stack([X, np.ones(len(X))])
        return cls(len(X), design.T @ design, design.T @ y)

    def merge(self, other: ProductSums) -> ProductSums:
        """Over the records of both."""
        same = len(self.cross) == len(other.cross)
        require(same, f"only models of as many features merge: {len(self.cross) - 1} and {len(other.cross) - 1}")
        return ProductSums(self.records + other.records, self.second + other.second, self.cross + other.cross)


class MomentRegression(RegressorMixin, BaseEstimator):
    """Regression from moments that carry entrywise noise (Raghunathan et al. 2016, section 7).

    Parameters
    ----------
    solver : {"truncated", "ridge"}, optional
        "truncated" drops the eigenvalues of E[xxᵀ] up to 2σ√d, where a symmetric matrix of noise with entries of
        standard deviation σ has its spectrum; "ridge" clips them at zero and adds σ√d. By default the latter for a
        holder's moments, and else the former.
    noise : float, optional
        σ of the entries of the second-moment matrix; by default what a release says, and 0 for data in the clear.
    fit_intercept : bool
        Learn an intercept from data in the clear. From a release one is learned if it was published with one; moments
        have a constant among the features or none.

    Attributes
    ----------
    coef_, intercept_ : ndarray of shape (n_features,), float
        The weights, and what is added to all predictions.
    second_, cross_ : ndarrays of shape (d, d) and (d,)
        E[xxᵀ], its negative eigenvalues set to zero as no second moments have such, and E[x·y]; with an intercept
        about the means of data in the clear, and else with the constant as the last of d features.
    covariance_ : ndarray of shape (d, d), or None
        Of the weights, the constant's last; none where only moments were given, or records in the clear in batches.
    rank_ : int
        How many eigenvalues were kept.
    skill_ : float
        Which share of the target's variance the model is expected to explain of other records, as far as a release of
        second moments tells; where it may be none, `fit` warns.
    n_features_in_ : int
        The number of features.

    See Also
    --------
    ExactMoments : what a holder of the table releases.
    ExactProducts, CoordinateRelease, PerValueRelease : mechanisms that release such products record by record.
    MomentClassifier : for two classes.

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
    second_: Floats
    cross_: Floats
    covariance_: Floats | None
    #: What the last fit was to, as far as further batches need it.
    _seen: Release | ProductSums | None = None

    def __init__(self, solver: str | None = None, noise: float | None = None, *, fit_intercept: bool = True) -> None:
        self.solver = solver
        self.noise = noise
        self.fit_intercept = fit_intercept

    def fit(self, X: ArrayLike | Release, y: ArrayLike | None = None) -> Self:
        """Fit to a release of the protocol "products" or "moments", or to data in the clear."""
        if isinstance(X, Release):
            self._fit_release(X)
            if X.protocol == "products":  # of sums it was said already, by the model's skill
                X.warn_of(self)
            return self
        features, target = validate(self, X, y, dtype=np.float64, y_numeric=True)
        as_reals(target, "y")
        inverse, mean = self._fit_sums(ProductSums.of(features, target))
        left = target - self.predict(features)
        errors = (features - mean) * left[:, None]
        if self.fit_intercept:
            # About the means the constant stands apart from the features.
            errors = np.column_stack([errors, left])
            inverse = np.block([[inverse, np.zeros((len(mean), 1))], [-mean @ inverse, np.ones(1)]])
        self.covariance_ = inverse @ (errors.T @ errors) @ inverse.T / len(features) ** 2
        return self

    def partial_fit(self, X: ArrayLike | Release, y: ArrayLike | None = None) -> Self:
        """Take in another batch: records in the clear, or a release about other records.

        The fit is that to all batches at once, however the records were cut. Of records in the clear only sums of
        products are kept, so there is no `covariance_`. A batch may be empty; releases are of one protocol.
        """
        if isinstance(X, Release):
            return self._take(X)
        if np.ndim(X) == 2 and np.shape(X)[0] == 0:
            return self
        reset = self._seen is None
        features, target = validate(self, X, y, dtype=np.float64, y_numeric=True, reset=reset)
        as_reals(target, "y")
        return self._take(ProductSums.of(features, target))

    def merge(self, other: MomentRegression) -> Self:
        """Take in what another model was fitted to, which must be other records: releases if this one was, too.

        A model that saw nothing adds nothing.
        """
        require(isinstance(other, MomentRegression), f"other must be a MomentRegression, not {type(other).__name__}")
        seen = other._seen
        return self if seen is None else self._take(seen)

    def _take(self, new: Release | ProductSums) -> Self:
        """Fit to all that was seen."""
        seen: Any = self._seen
        require(seen is None or type(seen) is type(new), "batches must all be releases, or all be records in the clear")
        total = new if seen is None else seen.merge(new)
        if isinstance(total, Release):
            return self._fit_release(total)
        self._fit_sums(total)
        return self

    def _fit_sums(self, sums: ProductSums) -> tuple[Floats, Floats]:
        """What E[xxᵀ]⁻¹ is replaced by, and the means that were taken off."""
        require(isinstance(self.fit_intercept, bool | np.bool_), "fit_intercept must be True or False")
        raw, cross, d = sums.second / sums.records, sums.cross / sums.records, len(sums.cross) - 1
        mean = raw[d, :d] if self.fit_intercept else np.zeros(d)
        size, second = np.diagonal(raw)[:d], raw[:d, :d] - np.outer(mean, mean)
        # What is constant beside a constant tells nothing; and in the clear the unit of a feature does not matter.
        varies = np.diagonal(second) > 1e-13 * size
        unit = np.sqrt(np.where(varies, np.diagonal(second), 1.0)) if self.noise is None else np.ones(d)
        own = np.where(np.outer(varies, varies), second, 0.0) / np.outer(unit, unit)
        inverse = self._solve(own, np.where(varies, cross[:d] - mean * cross[d], 0.0) / unit, 0.0)
        self.coef_, self.cross_ = self.coef_ / unit, self.cross_ * unit
        self.second_ = self.second_ * np.outer(unit, unit)
        if self.fit_intercept:
            self.intercept_, self._has_intercept = float(cross[d] - mean @ self.coef_), True
        self._seen = sums
        return inverse / np.outer(unit, unit), mean

    def _fit_release(self, release: Release) -> Self:
        if release.protocol == "moments":
            return self._fit_noisy_sums(release)
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

    def _fit_noisy_sums(self, release: Release) -> Self:
        """To a holder's second moments; with the target a share of its range, in [0, 1]."""
        require("classes" not in release.parameters, "release must have a number as its target: take MomentClassifier")
        require_choice(self.solver or "ridge", SOLVERS, "solver")
        fit = NoisyMoments.of(release).solve(self.solver or "ridge")
        back = fit.in_shares() / 2
        weights = back @ fit.weights
        self.coef_, self.intercept_, self._has_intercept = weights[:-1], float(weights[-1]) + 0.5, True
        self.covariance_ = back @ fit.covariance @ back.T
        self.second_, self.cross_, self.rank_ = fit.second, fit.moments.matrix[:-1, -1], fit.rank
        self.skill_, doubt = fit.skill
        self.n_features_in_, self._seen = len(self.coef_), release
        if self.skill_ <= doubt:
            warn("at this level the model is expected to be no better than the mean")
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
        require_choice(self.solver or SOLVERS[0], SOLVERS, "solver")
        if self.noise is not None:
            require_settings(self, ("noise",))
            require(isfinite(self.noise) and self.noise >= 0, "noise must be finite and at least 0")
        noise = default if self.noise is None else float(self.noise)
        matrix, vector = as_numbers(second, "second"), as_numbers(cross, "cross")
        require(vector.ndim == 1 and matrix.shape == (len(vector),) * 2, "second must be (d, d) and cross (d,)")
        # Moments of data of up to 1e100 are squares of that.
        require_moderate(matrix, "second", 1e210)
        require_moderate(vector, "cross", 1e210)
        require(bool(np.allclose(matrix, matrix.T, rtol=1e-9)), "second must be symmetric")
        values, directions = np.linalg.eigh((matrix + matrix.T) / 2)
        inverses = invert_spectrum(values, noise, self.solver or SOLVERS[0])
        self.coef_ = directions @ (inverses * (directions.T @ vector))
        self.intercept_ = 0.0
        self._has_intercept = False
        self.rank_ = int(np.count_nonzero(inverses))
        self.second_ = directions * np.maximum(values, 0.0) @ directions.T
        self.cross_ = vector
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
        """
        check_is_fitted(self)
        require(self.covariance_ is not None, "intervals need a release or data: moments alone say no precision")
        covariance = np.asarray(self.covariance_)
        missing = len(covariance) - self.rank_ - bool(self._has_intercept and isinstance(self._seen, ProductSums))
        if missing > 0:
            what = f"noise left {missing} of {len(covariance)} directions out"
            warn(f"{what}: the intervals are not about the weights without noise")
        return normal_intervals(np.append(self.coef_, self.intercept_)[: len(covariance)], covariance, level)
