"""A classifier from label proportions of bags: mean map, then the mean operator's learner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import UnveilError, require
from unveil.estimators.bags.mean_map import mean_map
from unveil.estimators.statistics.classifier import MeanOperatorClassifier
from unveil.estimators.statistics.losses import LinearOddLoss
from unveil.types import Floats, as_array, as_numbers


class MeanMapClassifier(MeanOperatorClassifier):
    """sgn⟨θ, x⟩ from unlabelled records in bags and the share of positive labels in each bag.

    Mean map (Quadrianto et al. 2009; Patrini et al. 2016, section 3) estimates the mean operator, from which
    `MeanOperatorClassifier` learns. It assumes that a record's features depend on its bag through its label alone.

    Parameters
    ----------
    loss : str or LinearOddLoss
        What is minimised, as for `MeanOperatorClassifier`.
    l2 : float, optional
        The weight λ of ‖θ‖²; by default 10⁻³.
    fit_intercept : bool
        Learn an intercept.

    Attributes
    ----------
    statistic_ : ndarray
        The estimated mean operator; with an intercept its last entry is the mean label.
    bags_ : ndarray
        The bags' labels, in the order in which proportions are taken.
    classes_ : ndarray of shape (2,)
        −1 and 1.
    coef_, intercept_ : ndarrays of shape (1, n_features) and (1,)
        θ as one row, and the intercept.
    n_features_in_ : int
        The number of features.
    l2_, objective_, gradient_norm_, suboptimality_, n_iter_ : float, float, float, float, int
        How the minimisation went, as for `MeanOperatorClassifier`.
    covariance_ : None
        Shares alone do not say how far the estimate is off.

    See Also
    --------
    mean_map : the estimate alone.
    ProportionSVM, MMDClassRatio : other learners from the same.

    Examples
    --------
    >>> import numpy as np
    >>> from unveil import MeanMapClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = rng.choice([-1, 1], 400)
    >>> X = rng.normal(0.8 * y[:, None], 1.0, (400, 2))
    >>> clinic = np.where(rng.random(400) < np.where(y > 0, 0.8, 0.3), "north", "south")
    >>> shares = {name: np.mean(y[clinic == name] > 0) for name in ("north", "south")}
    >>> bool(MeanMapClassifier().fit(X, clinic, shares).score(X, y) > 0.85)
    True
    """

    tol, max_iter = 1e-10, 500

    def __init__(
        self, loss: str | LinearOddLoss = "logistic", l2: float | None = None, *, fit_intercept: bool = True
    ) -> None:
        self.loss = loss
        self.l2 = l2
        self.fit_intercept = fit_intercept

    def fit(  # type: ignore[override]
        self, X: ArrayLike, bags: ArrayLike, proportions: ArrayLike | Mapping[Any, float]
    ) -> MeanMapClassifier:
        """Learn from `X` (m, d), each record's bag, a label of any kind, and each bag's share of positive labels.

        `proportions` is a mapping from the bags' labels, or numbers in these labels' sorted order.
        """
        features = as_numbers(X, "X")
        require(features.ndim == 2 and features.size > 0, "X must be a matrix with at least one row and one column")
        require(np.isfinite(features).all(), "X must hold finite numbers: NaN or infinity found")
        names = as_array(bags, "bags")
        require(names.shape == (len(features),), f"bags must have shape ({len(features)},), got {names.shape}")
        try:
            self.bags_, members = np.unique(names, return_inverse=True)
        except TypeError as error:
            raise UnveilError(f"bags must hold labels of one kind, which can be sorted: {error}") from error
        rows = np.column_stack([features, np.ones(len(features))]) if self.fit_intercept else features
        self.statistic_ = mean_map(rows, members, self._in_order(proportions))
        self.fit_statistic(features, self.statistic_)
        return self

    def _in_order(self, proportions: ArrayLike | Mapping[Any, float]) -> Floats:
        if isinstance(proportions, Mapping):
            missing = [name for name in self.bags_.tolist() if name not in proportions]
            require(not missing, f"proportions must name every bag: {missing[:3]} missing")
            return as_numbers([proportions[name] for name in self.bags_.tolist()], "proportions")
        shares = as_numbers(proportions, "proportions")
        known = len(self.bags_)
        require(
            shares.shape == (known,),
            f"proportions must have shape ({known},), one for each label in bags, got {shares.shape}",
        )
        return shares
