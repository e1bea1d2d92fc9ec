"""Quantifiers that need labels of instances: the upper end of what a comparison can show.

`ClassifyAndCount` counts predicted labels. `EMQ` re-estimates the prior of the test set by
expectation-maximisation over predicted probabilities (Saerens, Latinne and Decaestecker 2002).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from unveil.errors import require, require_number
from unveil.estimators.bags.mmd_gram import check_points
from unveil.estimators.bags.sets import Quantifier
from unveil.estimators.linear import normal_intervals
from unveil.estimators.validation import as_labels
from unveil.types import Array


def make_logistic(cost: float) -> Pipeline:
    """A logistic regression on standardised features; `cost` is the inverse strength of its L2 penalty."""
    require_number(cost, "cost")
    require(0 < cost < np.inf, f"cost must be positive and finite, not {cost!r}")
    return make_pipeline(StandardScaler(), LogisticRegression(C=cost, max_iter=1000, tol=1e-5))


@dataclass(eq=False, repr=False)
class _LabelledQuantifier(Quantifier):
    """A logistic regression on standardised features, trained with the labels of instances."""

    cost: float = 0.1

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from points X with labels y."""
        model = make_logistic(self.cost)
        points = check_points([X], "X")[0]
        labels = as_labels(y, len(points))
        self.model_ = model.fit(points, labels)
        self.classes_ = self.model_.classes_
        self.prior_ = np.array([(labels == label).mean() for label in self.classes_])
        self.n_features_in_ = points.shape[1]
        return self

    def _predict_one(self, points: Array) -> Array:
        return self._ratios(self.model_.predict_proba(points))

    @abstractmethod
    def _ratios(self, probabilities: Array) -> Array:
        """Class ratios of points with these probabilities of the classes."""


class ClassifyAndCount(_LabelledQuantifier):
    """Class ratios as shares of predicted labels: a logistic regression, trained on labelled points, and a count.

    Biased towards the shares of training (Saerens, Latinne and Decaestecker 2002, section 1): what `EMQ` corrects.

    Parameters
    ----------
    cost : float
        Inverse strength of the L2 penalty, for standardised features.

    Attributes
    ----------
    model_ : sklearn.pipeline.Pipeline
        The fitted regression.
    classes_, prior_ : ndarray of shape (n_classes,)
        The classes in order, and their shares among the training labels.
    n_features_in_ : int
        The number of coordinates of a point.

    See Also
    --------
    EMQ : adjusts for a prior that differs from that of training.
    MMDClassRatio : needs no labels of points, only proportions of sets.

    Examples
    --------
    >>> import numpy as np
    >>> from unveil import ClassifyAndCount
    >>> X = np.repeat([[-1.0], [1.0]], [30, 70], axis=0)
    >>> model = ClassifyAndCount().fit(X, X[:, 0] > 0)
    >>> model.predict([[-2.0], [1.0], [1.5], [2.0]])
    array([0.25, 0.75])
    """

    def _ratios(self, probabilities: Array) -> Array:
        return count_guesses(probabilities)


class EMQ(_LabelledQuantifier):
    """Class ratios as the prior under which a test set is most likely, given a classifier's probabilities.

    Expectation maximisation over the prior (Saerens, Latinne and Decaestecker 2002, section 2.2), for a logistic
    regression that is trained on labelled points.

    Parameters
    ----------
    cost : float
        Inverse strength of the L2 penalty, for standardised features.

    Attributes
    ----------
    model_ : sklearn.pipeline.Pipeline
        The fitted regression.
    classes_, prior_ : ndarray of shape (n_classes,)
        The classes in order, and their shares among the training labels.
    n_features_in_ : int
        The number of coordinates of a point.

    See Also
    --------
    ClassifyAndCount : the same classifier, without the adjustment.
    MMDClassRatio : needs no labels of points, only proportions of sets.

    Examples
    --------
    >>> import numpy as np
    >>> from unveil import EMQ
    >>> rng = np.random.default_rng(0)
    >>> y, unknown = rng.random(1000) < 0.5, rng.random(1000) < 0.9
    >>> model = EMQ().fit(rng.normal(2.0 * y, 1.0)[:, None], y)
    >>> model.predict(rng.normal(2.0 * unknown, 1.0)[:, None]).round(1)
    array([0.1, 0.9])
    """

    def _ratios(self, probabilities: Array) -> Array:
        return adjust_prior(probabilities, self.prior_)

    def interval(self, X: ArrayLike | Sequence[ArrayLike], level: float = 0.95) -> tuple[Array, Array]:
        """Where the class ratios behind a set, or behind each of several, lie: lower and upper ends.

        By the observed information of the likelihood that is maximised, each ratio for itself: of the chance by which
        the set was drawn, with the classifier's probabilities taken for true.
        """
        sets, several = self._check_sets(X)
        ends = []
        for points in sets:
            likelihood = self.model_.predict_proba(points) / self.prior_
            ratios = adjust_prior(likelihood * self.prior_, self.prior_)
            parts = likelihood / (likelihood @ ratios)[:, None]
            # Ratios move along the simplex only: changes sum to zero.
            inside = np.eye(len(ratios))[:, 1:] - np.eye(len(ratios))[:, :1]
            covariance = inside @ np.linalg.pinv(inside.T @ (parts.T @ parts) @ inside, hermitian=True) @ inside.T
            ends.append(normal_intervals(ratios, covariance, level).clip(0.0, 1.0))
        low, high = np.moveaxis(np.stack(ends), -1, 0)
        return (low, high) if several else (low[0], high[0])


def count_guesses(probabilities: Array) -> Array:
    """The share of points whose most probable class is each."""
    guesses = probabilities.argmax(axis=1)
    return np.asarray(np.bincount(guesses, minlength=probabilities.shape[1]) / len(guesses))


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
