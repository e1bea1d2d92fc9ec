"""Class ratios from sets with known proportions, by matching kernel means (Iyer et al. 2016, section 2.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from unveil.errors import require
from unveil.estimators.bags.mixtures import (
    checked_bag_proportions,
    class_ratios,
    held_out_bags,
    l1_errors,
    mixture_weights,
)
from unveil.estimators.bags.mmd_gram import (
    BANDWIDTHS,
    as_bags,
    checked_bandwidths,
    checked_points,
    cross_products,
    mmd_gram,
)
from unveil.estimators.bags.random_features import draw_frequencies, mean_features
from unveil.estimators.validation import as_generator
from unveil.types import Array


class MMDClassRatio(BaseEstimator):
    """Class ratios of unlabelled sets, learned from sets of which only the class proportions are known.

    Matches kernel means (Iyer et al. 2016, section 2.3): the mean of a set U is written as the mixture Σ α_i Φ̂_i
    of the training sets' means that comes nearest to it, equation (5), and the same mixture of their proportions,
    projected onto the simplex, is the estimate. Points in float32 are handled in float32, all others in double
    precision.

    Parameters
    ----------
    bandwidths : array-like, optional
        Bandwidths s of the kernel exp(−|x − y|²/(2s²)) to choose from; the paper's 2⁻⁵ … 2⁵ by default.
    random_features : int, optional
        Approximate the kernel by this many random frequencies instead of computing it.
    random_state : int or numpy.random.Generator, optional
        Where the frequencies come from; needed with `random_features`, and only there.

    Attributes
    ----------
    bandwidths_ : ndarray of shape (n_bandwidths,)
        The bandwidths that were compared.
    bandwidth_, chosen_ : float, int
        The chosen one, and its number: least mean L1 error on the validation sets; without any, the bandwidth
        nearest to the median distance between points (ASSUME: the paper always has validation sets).
    validation_errors_ : ndarray of shape (n_bandwidths,) or None
        Mean L1 error of every bandwidth on the validation sets.
    gram_ : ndarray of shape (n_bandwidths, n_bags, n_bags)
        Inner products of the bags' kernel means.
    bags_, proportions_ : list of ndarray, ndarray of shape (n_bags, n_classes)
        What was learned from.
    n_features_in_ : int
        The number of coordinates of a point.

    See Also
    --------
    mmd_gram : the inner products alone.
    SetIdLogistic, ProportionSVM : other ways to learn from the same sets.

    Examples
    --------
    Two sets, nine tenths and a fifth of whose points are of the first class, tell what share a third one has of it:

    >>> import numpy as np
    >>> from unveil import MMDClassRatio
    >>> rng = np.random.default_rng(0)
    >>> def points(share):
    ...     return rng.normal(np.where(rng.random(200) < share, 1.0, -1.0)[:, None], 0.5, (200, 2))
    >>> model = MMDClassRatio(bandwidths=[1.0]).fit([points(0.9), points(0.2)], [[0.9, 0.1], [0.2, 0.8]])
    >>> model.predict(points(0.6)).round(1)
    array([0.6, 0.4])
    """

    def __init__(
        self,
        bandwidths: ArrayLike | None = None,
        random_features: int | None = None,
        random_state: int | Generator | None = None,
    ) -> None:
        self.bandwidths = bandwidths
        self.random_features = random_features
        self.random_state = random_state

    def fit(
        self,
        bags: Sequence[ArrayLike],
        proportions: ArrayLike,
        validation: tuple[Sequence[ArrayLike], ArrayLike] | None = None,
    ) -> Self:
        """Learn from `bags`, one matrix of points a set, and their class `proportions`, one row a set.

        `validation` is another such pair, on which the bandwidth is chosen. Points in float32 are handled in
        float32, all others in double precision.
        """
        self.bandwidths_ = checked_bandwidths(BANDWIDTHS if self.bandwidths is None else self.bandwidths)
        self.proportions_ = checked_bag_proportions(bags, proportions)
        self.bags_ = checked_points(bags, "bags")
        self.n_features_in_ = self.bags_[0].shape[1]
        held_out: list[Array] = []
        truth: Array | None = None
        if validation is not None:
            held_out, truth = held_out_bags(validation, self.n_features_in_, self.proportions_.shape[1])
        self._frequencies = self._draw()
        self.gram_, cross = self._products(held_out)
        self.validation_errors_ = None
        if truth is None:
            self.chosen_ = int(np.argmin(np.abs(np.log(self.bandwidths_ / _median_distance(self.bags_)))))
        else:
            self.validation_errors_ = l1_errors(mixture_weights(self.gram_, cross), self.proportions_, truth)
            self.chosen_ = int(np.argmin(self.validation_errors_))
        self.bandwidth_ = float(self.bandwidths_[self.chosen_])
        return self

    def mixture(self, X: ArrayLike) -> Array:
        """α̂ of one set at the chosen bandwidth; its entries may be negative and need not sum to one."""
        check_is_fitted(self, "chosen_")
        checked_points([X], "X", self.n_features_in_)
        _, cross = self._products([X], slice(self.chosen_, self.chosen_ + 1))
        return np.asarray(mixture_weights(self.gram_[self.chosen_ :][:1], cross)[0, 0])

    def predict(self, X: ArrayLike | Sequence[ArrayLike]) -> Array:
        """Class ratios of a set, a matrix of points; of several sets, one a row, for a list of matrices."""
        check_is_fitted(self, "chosen_")
        several = isinstance(X, list | tuple) and len(X) > 0 and np.ndim(as_bags(X, "X")[0]) == 2
        sets: list[Any] = list(X) if several else [X]  # type: ignore[arg-type]
        checked_points(sets, "X", self.n_features_in_)
        _, cross = self._products(sets, slice(self.chosen_, self.chosen_ + 1))
        ratios = class_ratios(mixture_weights(self.gram_[self.chosen_ :][:1], cross)[0], self.proportions_)
        return ratios if several else np.asarray(ratios[0])

    def _draw(self) -> Array | None:
        if self.random_features is None:
            return None
        require(self.random_state is not None, "random_state must be given with random_features")
        return draw_frequencies(self.n_features_in_, self.random_features, as_generator(self.random_state))

    def _products(self, queries: Sequence[ArrayLike], chosen: slice = slice(None)) -> tuple[Array, Array]:
        """Inner products among the bags, and with the queries; among the bags only while fitting."""
        widths = self.bandwidths_[chosen]
        if self._frequencies is None and chosen == slice(None):
            return mmd_gram(self.bags_, widths, queries)
        if self._frequencies is None:
            return self.gram_[chosen], cross_products(self.bags_, queries, widths)
        means = mean_features(self.bags_, self._frequencies, widths)
        others = mean_features(queries, self._frequencies, widths)
        return means @ means.transpose(0, 2, 1), means @ others.transpose(0, 2, 1)


def _median_distance(bags: Sequence[Array]) -> float:
    """The median distance of a few points of every bag: at most 500 in all, evenly spaced."""
    points = np.concatenate(bags).astype(float)
    some = points[:: max(1, len(points) // 500)]
    squares = (some**2).sum(axis=1)
    distances = squares[:, None] + squares - 2 * some @ some.T
    apart = distances[np.triu_indices(len(some), 1)]
    return float(np.sqrt(max(np.median(apart), 1e-12))) if len(apart) else 1.0
