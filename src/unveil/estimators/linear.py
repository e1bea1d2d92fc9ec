"""What linear models of two classes share: margins, probabilities, classes, and intervals of their weights."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, ndtri
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from unveil.errors import UnveilError, require, require_number
from unveil.estimators.validation import validate
from unveil.types import Array, Floats


def normal_intervals(weights: Floats, covariance: Floats, level: float) -> Floats:
    """(low, high) for each weight, normal with this covariance."""
    require_number(level, "level")
    require(0 < level < 1, f"level must lie in (0, 1), not {level}")
    half = ndtri((1 + level) / 2) * np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
    return np.column_stack([weights - half, weights + half])


class LinearClassifier(ClassifierMixin, BaseEstimator):
    """sgn(⟨θ, x⟩ + b) with weights (1, d), an intercept (1,), and their covariance where it is known."""

    coef_: Floats
    intercept_: Floats
    classes_: Array
    covariance_: Floats | None
    #: Why there may be no covariance.
    no_covariance: ClassVar[str] = "intervals need a covariance"

    def _name_classes(self, labels: Array) -> Array:
        """0 or 1 for each label, of which there must be two."""
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        found = f"{len(self.classes_)} class{'es' * (len(self.classes_) > 1)}"
        said = f"Only binary classification is supported: y must have two classes, got {found}"
        require(len(self.classes_) == 2, said)
        return codes

    def intervals(self, level: float = 0.95) -> Floats:
        """(low, high) for each weight, the intercept's last if one is learned; they assume what `covariance_` does."""
        check_is_fitted(self)
        if self.covariance_ is None:
            raise UnveilError(self.no_covariance)
        weights = np.append(self.coef_, self.intercept_)[: len(self.covariance_)]
        return normal_intervals(weights, self.covariance_, level)

    def decision_function(self, X: ArrayLike) -> Floats:
        """⟨θ, x⟩ of each row, and the intercept."""
        check_is_fitted(self)
        margins: Floats = self._read(X) @ self.coef_[0] + self.intercept_[0]
        return margins

    def _read(self, X: ArrayLike) -> Any:
        """The features of new records."""
        return validate(self, X, reset=False, dtype=np.float64)

    def predict_proba(self, X: ArrayLike) -> Floats:
        """The probabilities of both classes, the margins being log-odds."""
        one = expit(self.decision_function(X))
        return np.column_stack([1 - one, one])

    def predict(self, X: ArrayLike) -> Array:
        """The likelier class."""
        second = self.decision_function(X) > 0
        chosen: Array = self.classes_[second.astype(int)]
        return chosen

    def __sklearn_tags__(self) -> Tags:
        """Two classes only."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
