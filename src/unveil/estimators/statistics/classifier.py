"""Linear classifiers learnt from the mean operator and unlabelled features (Patrini et al. 2016, algorithm 1)."""

from __future__ import annotations

import warnings
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from unveil.errors import UnveilError, require
from unveil.estimators.statistics.losses import LinearOddLoss, linear_odd_loss
from unveil.estimators.statistics.risk import Design, minimise_statistic
from unveil.estimators.validation import require_settings, validated
from unveil.types import Array, Floats, as_numbers, require_moderate

_FEATURES: dict[str, Any] = {"dtype": np.float64, "order": "C", "accept_sparse": "csr"}


def has_probabilities(model: Any) -> bool:
    """Whether margins of this loss stand for probabilities, one to one where these are not 0 or 1."""
    loss = linear_odd_loss(model.loss)
    return loss.convex and loss.smoothed is None and float(loss.curvature(np.zeros(1))[0]) > 0


def record_weights(sample_weight: ArrayLike, rows: int) -> Floats:
    """The weight of each record, divided by their mean."""
    weights = as_numbers(sample_weight, "sample_weight")
    weights = np.full(rows, float(weights)) if weights.ndim == 0 else weights
    require(weights.shape == (rows,), f"sample_weight must have shape ({rows},), one a row, got {weights.shape}")
    require(np.isfinite(weights).all() and (weights >= 0).all(), "sample_weight must hold finite numbers of at least 0")
    require_moderate(weights, "sample_weight")
    require(weights.sum() > 0, "sample_weight must not be zero everywhere")
    scaled = weights / weights.max()
    around_one: Floats = scaled / scaled.mean()
    return around_one


class MeanOperatorClassifier(ClassifierMixin, BaseEstimator):
    """sgn⟨θ, x⟩ with θ minimising the mean of a linear-odd loss plus l2·‖θ‖².

    Labels enter through the mean operator alone (Patrini et al. 2016, theorem 3 and algorithm 1), so that a
    released one and unlabelled features are all that is needed. Features may be a sparse matrix.

    Parameters
    ----------
    loss : str or LinearOddLoss
        A name of `unveil.estimators.statistics.losses.LOSSES`, or the loss itself.
    l2 : float
        λ ≥ 0. With λ = 0 and a noisy statistic most losses have no minimum, which is reported as an error.
    tol : float
        The largest entry of the gradient at which to stop.
    max_iter : int
        Newton steps (for each smoothing width, where the loss has a kink).
    fit_intercept : bool
        Learn an intercept, as the weight of one more feature that is always one, and penalised like the others. A
        statistic then has one more entry, the last: the mean label. The paper has none.

    Attributes
    ----------
    coef_, intercept_ : ndarrays of shape (1, n_features) and (1,)
        θ as one row, and the intercept, zero if none is learned.
    classes_ : ndarray of shape (2,)
        The labels in order; −1 and 1 where a statistic was learned from.
    objective_, gradient_norm_ : float
        L(θ), and ‖∇L(θ)‖₂ of the (smoothed) objective.
    suboptimality_ : float
        At most how far `objective_` is above its minimum; ∞ where that is not known (λ = 0, or no convex loss).
    n_iter_ : int
        The number of steps.
    n_features_in_ : int
        The number of features.

    See Also
    --------
    MeanOperatorRelease, GeometricMeanOperator : mechanisms that release the statistic.
    mean_operator, mean_map : the statistic from labels, or from proportions of bags.

    Examples
    --------
    >>> from unveil import MeanOperatorClassifier, mean_operator
    >>> X = [[1.0, 0.2], [0.8, 1.0], [-1.0, 0.1], [-0.5, -1.0]]
    >>> mu = mean_operator(X, [1, 1, -1, -1])
    >>> MeanOperatorClassifier(l2=0.1).fit_statistic(X, mu).predict(X)
    array([ 1,  1, -1, -1])
    """

    coef_: Floats
    classes_: Array

    def __init__(
        self,
        loss: str | LinearOddLoss = "logistic",
        l2: float = 1e-3,
        tol: float = 1e-10,
        max_iter: int = 500,
        *,
        fit_intercept: bool = False,
    ) -> None:
        self.loss = loss
        self.l2 = l2
        self.tol = tol
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> MeanOperatorClassifier:
        """Learn from labels ±1 (or any two classes, of which the later in order counts as +1)."""
        features, labels = validated(self, X, y, **_FEATURES)
        check_classification_targets(labels)
        weights = None if sample_weight is None else record_weights(sample_weight, len(labels))
        seen = labels if weights is None else labels[weights > 0]
        classes = np.unique(seen)
        if len(classes) > 2:
            raise UnveilError(f"Only binary classification is supported: y must have two classes, got {len(classes)}")
        if len(classes) < 2:
            raise UnveilError(f"y must have two classes, got 1 class: {classes[0]!r}")
        self.classes_ = classes
        signs = np.where(labels == classes[1], 1.0, -1.0) * (1.0 if weights is None else weights)
        design = Design(self._augmented(features), weights)
        return self._minimise(design, np.asarray(design.features.T @ signs) / len(labels))

    def fit_statistic(self, X: ArrayLike, mu: ArrayLike) -> MeanOperatorClassifier:
        """Learn from unlabelled features and (an estimate of) their mean operator."""
        self.classes_ = np.array([-1, 1])
        return self._minimise(Design(self._augmented(validated(self, X, **_FEATURES))), as_numbers(mu, "mu"))

    def _augmented(self, features: Any) -> Any:
        """The features, and a one for the intercept."""
        require(isinstance(self.fit_intercept, bool | np.bool_), "fit_intercept must be True or False")
        if not self.fit_intercept:
            return features
        ones = np.ones((features.shape[0], 1))
        return sparse.hstack([features, ones], "csr") if sparse.issparse(features) else np.hstack([features, ones])

    def _minimise(self, design: Design, mu: Floats) -> MeanOperatorClassifier:
        loss = linear_odd_loss(self.loss)
        require_settings(self, ("l2", "tol"), ("max_iter",))
        require(np.all(np.isfinite(mu)), "mu must hold finite numbers: NaN or infinity found")
        require_moderate(mu, "mu")
        require(isfinite(self.l2) and self.l2 >= 0, f"l2 must be a finite number of at least 0, got {self.l2}")
        require(0 < self.tol < np.inf, f"tol must be positive, got {self.tol}")
        require(self.max_iter >= 1, f"max_iter must be at least 1, got {self.max_iter}")
        found = minimise_statistic(design, loss, mu, float(self.l2), float(self.tol), int(self.max_iter))
        if not found.converged:
            message = f"no convergence in {self.max_iter} steps: the gradient's norm is {found.gradient_norm:.1e}"
            warnings.warn(message, ConvergenceWarning, stacklevel=3)
        self.coef_ = found.theta[None, : self.n_features_in_]
        self.intercept_ = found.theta[-1:].copy() if self.fit_intercept else np.zeros(1)
        self.objective_ = found.value
        self.gradient_norm_ = found.gradient_norm
        self.suboptimality_ = found.suboptimality
        self.n_iter_ = found.iterations
        return self

    def decision_function(self, X: ArrayLike) -> Floats:
        """⟨θ, x⟩ of each row, and the intercept."""
        check_is_fitted(self)
        features = validated(self, X, reset=False, **_FEATURES)
        margins: Floats = features @ self.coef_[0] + self.intercept_[0]
        return margins

    @available_if(has_probabilities)
    def predict_proba(self, X: ArrayLike) -> Floats:
        """The probabilities of both classes for which the margins would be the least risky (n, 2).

        That of the later class is ½ + e′(z)/a, with e′ the slope of the loss's even part at the margin z. Only losses
        that are convex and bend at zero have them.
        """
        loss = linear_odd_loss(self.loss)
        one = np.clip(0.5 + loss.slope(self.decision_function(X)) / loss.a, 0.0, 1.0)
        return np.column_stack([1 - one, one])

    def predict(self, X: ArrayLike) -> Array:
        """The class on whose side each row lies."""
        positive = self.decision_function(X) > 0
        chosen: Array = self.classes_[positive.astype(int)]
        return chosen

    def __sklearn_tags__(self) -> Tags:
        """Two classes only."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags
