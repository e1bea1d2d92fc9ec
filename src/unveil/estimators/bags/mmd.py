"""Class ratios from sets with known proportions, by matching kernel means (Iyer et al. 2016, section 2.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike
from scipy.special import ndtri

from unveil.errors import require, require_number, warn
from unveil.estimators.bags.mixtures import class_ratios, is_definite, l1_errors, unbiased_weights, without_own_noise
from unveil.estimators.bags.mmd_gram import BANDWIDTHS, check_bandwidths, median_distance
from unveil.estimators.bags.precision import class_variances, interval_ends, variance
from unveil.estimators.bags.random_features import InnerProducts, draw_frequencies
from unveil.estimators.bags.sets import Lessons, SetQuantifier, require_noise
from unveil.estimators.bags.solving import MixedSets, choose_by_risk, own_moments, sets_of
from unveil.estimators.validation import as_generator, require_choice
from unveil.numerics.simplex import project_to_simplex
from unveil.types import Array

#: Beyond this condition number of Ĝ the estimate rests on its last digits; from a release these are left out.
_BADLY_CONDITIONED = 1e8


@dataclass(eq=False, repr=False)
class MMDClassRatio(SetQuantifier):
    """Class ratios of unlabelled sets, learned from sets of which only the class proportions are known.

    Matches kernel means (Iyer et al. 2016, section 2.3): the mean of a set U is written as the mixture Σ α_i Φ̂_i
    of the training sets' means that comes nearest to it, equation (5), and the same mixture of their proportions,
    projected onto the simplex, is the estimate. Points in float32 are handled in float32, all others, sparse matrices
    among them, in double precision.

    Parameters
    ----------
    bandwidths : array-like, optional
        Bandwidths s of the kernel exp(−|x − y|²/(2s²)) to choose from; the paper's 2⁻⁵ … 2⁵ by default.
    diagonal : {"printed", "unbiased", "auto"}
        The diagonal of the matrix Ĝ of inner products. As (5) prints it, it holds the noise of each set with itself,
        of order 1/n, which pulls every estimate towards the mean of the training proportions: little where classes are
        easy to tell apart, and most of the error where they are not. The unbiased one leaves it out. "auto" takes
        the one of which the sets themselves foretell less error (`risks_`): over the data of its tests it is worse
        than the better of the two by no more than 15 % and 0.01.
    refit : bool
        Whether to learn from training and validation sets together once the bandwidth is chosen.
    noise : float, optional
        The standard deviation of the noise by which each proportion is veiled: intervals grow by it, and with more
        bags than classes the unbiased form corrects for it. By default what a release says of each set, and 0 for
        proportions in the clear.
    random_features : int, optional
        Approximate the kernel by this many random frequencies instead of computing it; with the printed diagonal only.
    random_state : int or numpy.random.Generator, optional
        Where the frequencies come from; needed with `random_features`, and only there.

    Attributes
    ----------
    bandwidths_ : ndarray of shape (n_bandwidths,)
        The bandwidths that were compared.
    bandwidth_, chosen_ : float, int
        The chosen one, and its number: least mean L1 error on the validation sets; without any, the bandwidth
        nearest to the median distance between points (ASSUME: the paper always has validation sets). With
        ``diagonal="auto"`` the unbiased diagonal takes the one of least foretold risk, and without validation sets the
        printed one does. A warning says if it is the first or last of several.
    diagonal_ : str
        The diagonal in use: where the unbiased matrix is not positive definite at any bandwidth, the printed one.
    validation_errors_ : ndarray of shape (n_bandwidths,) or None
        Mean L1 error of every bandwidth on the validation sets.
    risks_ : dict of ndarray of shape (n_bandwidths,), or None
        By diagonal, the mean squared error that is foretold for every bandwidth (only for "auto").
    gram_ : ndarray of shape (n_bandwidths, n_bags, n_bags)
        Inner products of the training bags' kernel means, as (5) prints them.
    noise_ : ndarray of shape (n_bags,)
        The standard deviation of the noise of each bag's proportions, as far as it is known.
    classes_ : ndarray of shape (n_classes,)
        What the classes are called: as a release says, else numbers from 0.
    bags_, proportions_ : list of matrices, ndarray of shape (n_bags, n_classes)
        What was learned from.
    n_features_in_ : int
        The number of coordinates of a point.

    See Also
    --------
    mmd_gram : the inner products alone.
    SetIdEM, SetIdLogistic, ProportionSVM : other ways to learn from the same sets.

    Examples
    --------
    Two sets, nine tenths and a fifth of whose points are of the first class, tell what share a third one has of it:

    >>> import numpy as np
    >>> from unveil import MMDClassRatio
    >>> rng = np.random.default_rng(0)
    >>> def points(share):
    ...     return rng.normal(np.where(rng.random(200) < share, 1.0, -1.0)[:, None], 0.5, (200, 2))
    >>> model = MMDClassRatio(bandwidths=[1.0]).fit([points(0.9), points(0.2)], [[0.9, 0.1], [0.2, 0.8]])
    >>> unknown = points(0.6)
    >>> model.predict(unknown).round(1)
    array([0.6, 0.4])
    >>> low, high = model.interval(unknown)
    >>> bool(low[0] < 0.6 < high[0])
    True
    """

    _learned, _keep_sparse = "chosen_", True

    bandwidths: ArrayLike | None = None
    diagonal: str = "printed"
    refit: bool = False
    noise: float | None = None
    random_features: int | None = None
    random_state: int | Generator | None = None

    def _check_settings(self) -> None:
        require_choice(self.diagonal, ("printed", "unbiased", "auto"), "diagonal")
        require_noise(self.noise)
        require(isinstance(self.refit, bool | np.bool_), f"refit must be true or false, not {self.refit!r}")
        require(
            self.random_features is None or self.diagonal == "printed",
            "random_features approximate the printed diagonal only",
        )

    def _learn(self, lessons: Lessons) -> None:
        self.bandwidths_ = check_bandwidths(BANDWIDTHS if self.bandwidths is None else self.bandwidths)
        self.bags_, self.proportions_, held_out, truth, told = lessons
        self._veiled, own = told is not None, np.full(len(self.bags_), float(self.noise or 0.0))
        self.noise_ = own if told is None or self.noise is not None else told
        self._sets = self._settle()
        self._means = self._draw_features()
        self.validation_errors_: Array | None = None
        self.risks_: dict[str, Array] | None = None
        self.diagonal_ = self.diagonal
        if self.diagonal == "auto":
            choice = choose_by_risk(self.bags_, held_out, self.bandwidths_, self._sets, truth)
            self.diagonal_, self.chosen_, self.risks_, self.gram_, self.validation_errors_ = choice
        else:
            self.gram_, cross = self._means.products(self.bags_, held_out, self.bandwidths_)
            self._choose(cross, truth)
        self.bandwidth_ = float(self.bandwidths_[self.chosen_])
        if self.refit and truth is not None:
            self.bags_ = [*self.bags_, *held_out]
            self.proportions_ = np.concatenate([self.proportions_, truth])
            self.noise_ = np.append(self.noise_, np.full(len(truth), float(self.noise or 0.0)))
            self._sets = self._settle()
            self._gram, _ = self._means.products(self.bags_, (), self._width())
        else:
            self._gram = self.gram_[self.chosen_ :][:1]
        self._solve()
        self._warn(truth is not None or self.diagonal == "auto")

    def mixture(self, X: ArrayLike | Sequence[ArrayLike]) -> Array:
        """α̂ of a set, or of each of several, at the chosen bandwidth: any numbers, which need not sum to one.

        Where `noise` veils the proportions, `predict` mixes what they say of the true ones, and not them as they are.
        """
        return self._answer(X, lambda sets: self._solver.weights(self._cross(sets)[0]))

    def _predict_sets(self, sets: list[Array]) -> Array:
        return project_to_simplex(self._cross(sets)[0].T @ self._reader)

    def interval(self, X: ArrayLike | Sequence[ArrayLike], level: float = 0.95) -> tuple[Array, Array]:
        """Where the class ratios of a set, or of each of several, lie: lower and upper ends, each with this confidence.

        They hold every ratio that the set does not speak against, with the variance that the estimate would have if the
        ratio were true, by the delta method; for the shares of the classes in the set itself. They are made with the
        unbiased diagonal whatever `diagonal` is: the printed one has a bias that no interval around it would cover.
        Where the classes cannot be told apart beyond the noise, they go from zero to one. Each entry has its own
        interval; they hold if the proportions of the bags are exact or veiled by `noise`.
        """
        require_number(level, "level")
        require(0.0 < level < 1.0, f"level must lie strictly between 0 and 1, not {level}")
        sets, several = self._check_sets(X)
        require(self._means.frequencies is None, "random_features must be None: intervals need the kernel itself")
        own, clean = self._sets, without_own_noise(self._gram, self._sets.sizes)
        low = np.zeros((len(sets), self.proportions_.shape[1]))
        high = np.ones_like(low)
        if is_definite(clean, own.embeddings)[0]:
            moments = own_moments(self.bags_, self._width())
            reader = own.readers(self._gram, "unbiased")
            within = class_variances(reader, clean, moments, own.embeddings, own.proportions, own.sizes)[0]
            weights = unbiased_weights(clean, self._cross(sets), own.embeddings)[0]
            middle, ratios = weights @ own.meant, class_ratios(weights, own.meant)
            sizes = np.array([points.shape[0] for points in sets])[:, None]

            def spread(assumed: Array) -> Array:
                mixed = assumed @ own.embeddings
                sampling = variance(within, assumed, sizes, mixed, own.proportions, own.sizes)
                return np.asarray(sampling + ((self.noise_ * mixed) ** 2).sum(axis=1, keepdims=True))

            low, high = interval_ends(middle, ratios, float(ndtri((1.0 + level) / 2.0)), spread)
        return (low, high) if several else (low[0], high[0])

    def _state(self) -> dict[str, Any]:
        """What it predicts from: the sets' points, where each ends, and their inner products at the chosen width."""
        return {
            "points": np.concatenate(self.bags_),
            "ends": np.cumsum([len(bag) for bag in self.bags_]),
            "proportions": self.proportions_,
            "noise": self.noise_,
            "width": self._width(),
            "gram": self._gram,
            "diagonal": self.diagonal_,
        }

    def _restore(self, points: Array, ends: Array, gram: Array, width: Array, **of: Any) -> None:
        self._veiled = True  # as all that the command fits
        self.bags_ = np.split(np.asarray(points), ends[:-1])
        require(all(len(bag) for bag in self.bags_) and ends[-1] == len(points), "its sets must hold points")
        require(set(of) == {"proportions", "noise", "diagonal"}, "it must say what its sets are mixtures of")
        self.proportions_, self.noise_, self.diagonal_ = of["proportions"], of["noise"], of["diagonal"]
        self.bandwidths_, self.gram_, self.chosen_ = width, gram, 0
        self._sets, self._means, self._gram = self._settle(), self._draw_features(), gram
        self._solve()

    def _settle(self) -> MixedSets:
        sizes = np.array([bag.shape[0] for bag in self.bags_])
        require(
            self.diagonal == "printed" or sizes.min() >= 2, "bags must hold at least two points each for this diagonal"
        )
        return sets_of(self.proportions_, sizes, self.noise_)

    def _solve(self) -> None:
        """What every prediction shares: Ĝ decomposed, and what the inner products weigh in each class's ratio."""
        self._solver = self._sets.solver(self._gram[0], self.diagonal_, 1 / _BADLY_CONDITIONED if self._veiled else 0.0)
        self._reader = self._solver.weights(self._sets.carried(self.diagonal_)).T

    def _choose(self, cross: Array, truth: Array | None) -> None:
        """The bandwidth by the validation sets, or by the distances; where a matrix is indefinite, not that one."""
        sets, usable = self._sets, np.ones(len(self.bandwidths_), bool)
        if self.diagonal == "unbiased":
            usable = is_definite(without_own_noise(self.gram_, sets.sizes), sets.embeddings)
            if not usable.any():
                warn("diagonal: the unbiased Ĝ is not positive definite at any bandwidth: the printed one is used")
                self.diagonal_, usable = "printed", ~usable
        if truth is None:
            cost = np.abs(np.log(self.bandwidths_ / median_distance(self.bags_)))
        else:
            weights = sets.weights(self.gram_, cross, self.diagonal_)
            cost = l1_errors(weights, sets.carried(self.diagonal_), truth)
            self.validation_errors_ = cost
        self.chosen_ = int(np.argmin(np.where(usable, cost, np.inf)))

    def _warn(self, chosen: bool) -> None:
        condition = self._solver.condition
        if condition > _BADLY_CONDITIONED:
            left = ", directions that rest on its last digits are left out" if self._veiled else ""
            warn(f"Ĝ is badly conditioned at the bandwidth {self.bandwidth_:g}: {condition:.1g}{left}")
        if chosen and len(self.bandwidths_) > 2 and self.bandwidth_ in (self.bandwidths_.min(), self.bandwidths_.max()):
            warn(f"the chosen bandwidth, {self.bandwidth_:g}, is the last of its grid: widen it")

    def _draw_features(self) -> InnerProducts:
        if self.random_features is None:
            return InnerProducts()
        require(self.random_state is not None, "random_state must be given with random_features")
        rng = as_generator(self.random_state)
        return InnerProducts(draw_frequencies(self.n_features_in_, self.random_features, rng))

    def _width(self) -> Array:
        return self.bandwidths_[self.chosen_ : self.chosen_ + 1]

    def _cross(self, sets: Sequence[Array]) -> Array:
        """Inner products of the bags with sets at the chosen width."""
        return self._means.cross(self.bags_, sets, self._width())
