"""Quantifiers that need labels of instances: the upper end of what a comparison can show.

`ClassifyAndCount` counts predicted labels. `EMQ` re-estimates the prior of the test set by
expectation-maximisation over predicted probabilities (Saerens, Latinne and Decaestecker 2002).
"""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from unveil.errors import require, require_number
from unveil.estimators.bags.mmd_gram import checked_points
from unveil.estimators.validation import as_labels
from unveil.types import Array


class _LabelledQuantifier(BaseEstimator):
    """A logistic regression on standardised features, trained with the labels of instances."""

    def __init__(self, cost: float = 0.1) -> None:
        self.cost = cost

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from points X with labels y."""
        require_number(self.cost, "cost")
        require(0 < self.cost < np.inf, f"cost must be positive and finite, not {self.cost!r}")
        points = checked_points([X], "X")[0]
        labels = as_labels(y, len(points))
        self.model_ = make_pipeline(
            StandardScaler(), LogisticRegression(C=self.cost, max_iter=1000, tol=1e-5)
        )
        self.model_.fit(points, labels)
        self.classes_ = self.model_.classes_
        self.prior_ = np.array([(labels == label).mean() for label in self.classes_])
        self.n_features_in_ = points.shape[1]
        return self

    def _probabilities(self, X: ArrayLike) -> Array:
        check_is_fitted(self, "model_")
        points = checked_points([X], "X", self.n_features_in_)[0]
        return np.asarray(self.model_.predict_proba(points))


class ClassifyAndCount(_LabelledQuantifier):
    """The shares of predicted labels."""

    def predict(self, X: ArrayLike) -> Array:
        """Class ratios of one set of points."""
        guesses = self._probabilities(X).argmax(axis=1)
        return np.bincount(guesses, minlength=len(self.classes_)) / len(guesses)


class EMQ(_LabelledQuantifier):
    """The prior under which the test set is most likely, given the classifier's probabilities."""

    def predict(self, X: ArrayLike) -> Array:
        """Class ratios of one set of points."""
        return adjust_prior(self._probabilities(X), self.prior_)


def adjust_prior(probabilities: Array, prior: Array, tolerance: float = 1e-9, steps: int = 10_000) -> Array:
    """The maximum-likelihood prior of a test set, from posteriors that hold under `prior`."""
    likelihood = probabilities / prior
    current = prior / prior.sum()
    for _ in range(steps):
        joint = likelihood * current
        updated = (joint / joint.sum(axis=1, keepdims=True)).mean(axis=0)
        if np.abs(updated - current).sum() < tolerance:
            return np.asarray(updated)
        current = updated
    return np.asarray(current)
