"""A logistic regression that tells sets apart, unmixed: the simple peer of kernel matching."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from unveil.errors import require
from unveil.estimators.bags.quantify import make_logistic
from unveil.estimators.bags.sets import Lessons, SetQuantifier
from unveil.estimators.bags.unmixing import class_scores, unmix
from unveil.types import Array


@dataclass(eq=False, repr=False)
class SetIdLogistic(SetQuantifier):
    """Class ratios by a logistic regression that predicts from which set a point comes.

    The mean prediction over a test set is linear in its class ratios; what it is for each class follows from
    held-out sets with known proportions, and solving for the ratios undoes the mixing. The simple peer of kernel
    matching. Without other sets to validate on, every second point of each bag is held out.

    Parameters
    ----------
    cost : float
        Inverse strength of the L2 penalty, for standardised features.

    Attributes
    ----------
    model_ : sklearn.pipeline.Pipeline
        The fitted regression.
    class_scores_ : ndarray of shape (n_classes, n_bags)
        The mean prediction for every class.
    classes_ : ndarray of shape (n_classes,)
        What the classes are called: as a release says, else numbers from 0.
    n_features_in_ : int
        The number of coordinates of a point.

    See Also
    --------
    MMDClassRatio, ProportionSVM : other ways to learn from the same sets.

    Examples
    --------
    >>> import numpy as np
    >>> from unveil import SetIdLogistic
    >>> rng = np.random.default_rng(0)
    >>> def points(share):
    ...     return rng.normal(np.where(rng.random(500) < share, 1.0, -1.0)[:, None], 0.5, (500, 2))
    >>> model = SetIdLogistic().fit([points(0.9), points(0.2)], [[0.9, 0.1], [0.2, 0.8]])
    >>> model.predict(points(0.6)).round(1)
    array([0.6, 0.4])
    """

    _learned = "class_scores_"

    cost: float = 0.1

    def _check_settings(self) -> None:
        make_logistic(self.cost)

    def _learn(self, lessons: Lessons) -> None:
        learning, held_out, truth = lessons.halve()
        which = np.repeat(np.arange(len(learning)), [len(bag) for bag in learning])
        self.model_ = make_logistic(self.cost).fit(np.concatenate(learning), which)
        self.class_scores_ = class_scores(np.stack([self._scores(bag) for bag in held_out]), truth)

    def _predict_one(self, points: Array) -> Array:
        return np.asarray(unmix(self._scores(points), self.class_scores_)[0])

    def _state(self) -> dict[str, Any]:
        """What it predicts from."""
        scaler, regression = (step for _, step in self.model_.steps)
        return {
            "centre": scaler.mean_,
            "scale": scaler.scale_,
            "which": regression.classes_,
            "weights": regression.coef_,
            "offsets": regression.intercept_,
            "class_scores": self.class_scores_,
        }

    def _restore(self, centre: Array, scale: Array, class_scores: Array, **regressed: Array) -> None:
        self.model_, self.class_scores_ = make_logistic(self.cost), class_scores
        scaler, regression = (step for _, step in self.model_.steps)
        scaler.mean_, scaler.scale_, scaler.var_, scaler.n_samples_seen_ = centre, scale, scale**2, 1
        require(set(regressed) == {"which", "weights", "offsets"}, "it must hold a regression")
        regression.classes_, regression.coef_ = regressed["which"], regressed["weights"]
        regression.intercept_ = regressed["offsets"]
        scaler.n_features_in_ = regression.n_features_in_ = self.n_features_in_

    def _scores(self, points: Array) -> Array:
        return np.asarray(self.model_.predict_proba(points).mean(axis=0))
