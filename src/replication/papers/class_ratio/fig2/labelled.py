"""More quantifiers that need the labels of instances, on posteriors of one classifier (peers, not part of the API).

Each learns from posteriors of the training points that come from folds without them, and says what class ratios the
posteriors of a test set speak for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.model_selection import cross_val_predict

from unveil.errors import require
from unveil.estimators.bags.quantify import EMQ, adjust_prior, count_guesses
from unveil.estimators.bags.unmixing import class_scores, unmix
from unveil.types import Array

#: What the kernel density of KDEy is smoothed by (Moreo, González and del Coz 2025).
_KDE_WIDTH = 0.1
#: Numbers of bins over which HDy takes the median, and the shares that it compares (González-Castro et al. 2013).
_BINS, _SHARES = range(10, 111, 20), np.linspace(0.0, 1.0, 201)


def classify_and_count(posteriors: Array, labels: Array, test: Array) -> Array:
    """CC: what `ClassifyAndCount` does with the same posteriors of a test set."""
    return count_guesses(test)


def adjusted_prior(posteriors: Array, labels: Array, test: Array) -> Array:
    """EMQ: what `EMQ` does with the same posteriors of a test set."""
    return adjust_prior(test, np.array([(labels == k).mean() for k in range(test.shape[1])]))


def adjusted_count(posteriors: Array, labels: Array, test: Array) -> Array:
    """ACC: counts of predicted labels, unmixed by the rates at which the classes are mistaken (Forman 2008)."""
    one_hot = np.eye(test.shape[1])
    return probabilistic_count(one_hot[posteriors.argmax(axis=1)], labels, one_hot[test.argmax(axis=1)])


def probabilistic_count(posteriors: Array, labels: Array, test: Array) -> Array:
    """PACC: the same with mean posteriors in the place of counts (Bella et al. 2010)."""
    classes = test.shape[1]
    means = np.stack([posteriors[labels == k].mean(axis=0) for k in range(classes)])
    return np.asarray(unmix(test.mean(axis=0), class_scores(means, np.eye(classes)))[0])


def hellinger_match(posteriors: Array, labels: Array, test: Array) -> Array:
    """HDy: the mixture of two classes' histograms of posteriors nearest to the test set's in Hellinger distance."""
    require(test.shape[1] == 2, "HDy knows two classes")
    found = []
    for bins in _BINS:
        first, second, whole = (
            np.histogram(p[:, 1], bins, (0.0, 1.0))[0] / len(p)
            for p in (posteriors[labels == 0], posteriors[labels == 1], test)
        )
        mixed = np.outer(1.0 - _SHARES, first) + np.outer(_SHARES, second)
        found.append(_SHARES[np.argmax(np.sqrt(mixed * whole).sum(axis=1))])
    share = float(np.median(found))
    return np.array([1.0 - share, share])


def density_match(posteriors: Array, labels: Array, test: Array) -> Array:
    """KDEy: the prior of greatest likelihood, with each class's law of posteriors as a kernel density."""
    densities = [
        np.exp(-0.5 * (cdist(test, posteriors[labels == k]) / _KDE_WIDTH) ** 2).mean(axis=1)
        for k in range(test.shape[1])
    ]
    even = np.full(len(densities), 1.0 / len(densities))
    return adjust_prior(np.maximum(np.column_stack(densities), 1e-300) * even, even)


RULES: Mapping[str, Callable[[Array, Array, Array], Array]] = {
    "acc": adjusted_count,
    "pacc": probabilistic_count,
    "hdy": hellinger_match,
    "kdey": density_match,
}
#: With those of `EMQ` and `ClassifyAndCount`, for whoever asks several of the same posteriors.
EVERY_RULE = {"emq": adjusted_prior, "classify_count": classify_and_count, **RULES}


def classify_folds(points: Array, labels: Array) -> tuple[Array, Array, Any]:
    """Posteriors of labelled points from folds without them, their classes by number, and the classifier of all."""
    fitted = EMQ(0.1).fit(points, labels)
    classes = np.searchsorted(fitted.classes_, labels)
    return cross_val_predict(fitted.model_, points, classes, cv=5, method="predict_proba"), classes, fitted.model_
