"""Class ratios from any number of sets: kernel means by random features, summed class by class.

The unbiased form of Iyer et al. (2016, section 2.3) matches the kernel means of the classes. Those are linear in the
sets' means, Φ = M⁻¹ Σ_i n_i p_i Φ̂_iᵀ with M = Σ_i n_i p_i p_iᵀ, and so is what the sets' own noise adds to their inner
products. In random features all of this is a sum over the sets, of classes × features numbers, where the Gram matrix of
`MMDClassRatio` has sets × sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self, cast

import numpy as np
from numpy.random import default_rng
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from unveil.errors import is_whole, require, warn
from unveil.estimators.bags.mixtures import remove_noise, shares_from
from unveil.estimators.bags.mmd_gram import BANDWIDTHS, as_bags, check_bandwidths, check_points
from unveil.estimators.bags.random_features import draw_frequencies, mean_features
from unveil.estimators.bags.sets import Fitted, Lessons, SetQuantifier, require_noise, shown_sets
from unveil.numerics.simplex import project_to_simplex
from unveil.types import Array

#: Sets whose features are held at a time.
GROUP = 16


@dataclass(eq=False, repr=False)
class FeatureClassRatio(SetQuantifier):
    """Class ratios of unlabelled sets, learned from more sets than fit into memory.

    `MMDClassRatio` with the unbiased diagonal, the kernel approximated by random features: memory grows with classes ×
    features, not with the sets. What is learned is a sum, so sets come in batches and shards merge.

    Parameters
    ----------
    bandwidths : sequence of float, optional
        Of the Gaussian kernel: one, or several of which `tune` chooses; by default those of the paper.
    random_features : int
        How many random frequencies stand for the kernel. Inner products of kernel means are off by about
        1/√(2 · random_features) at most.
    noise : float, optional
        The standard deviation of what veils a proportion; by default what a release says of each set, and 0 for
        proportions in the clear.
    random_state : int
        The seed of the frequencies: models that are to be merged need the same.

    Attributes
    ----------
    bandwidths_, chosen_, bandwidth_ : ndarray, int, float
        All bandwidths, and the one that is used.
    validation_errors_ : ndarray or None
        The mean L1 error of each bandwidth on the sets that `tune` was given.
    sets_, points_ : int, int
        How many were learned from.
    classes_ : ndarray of shape (n_classes,)
        What the classes are called: as a release says, else numbers from 0.
    n_features_in_ : int
        The number of coordinates of a point.

    Examples
    --------
    Two shards of a thousand sets each:

    >>> import numpy as np
    >>> from unveil import FeatureClassRatio
    >>> rng = np.random.default_rng(0)
    >>> def points(share):
    ...     return rng.normal(np.where(rng.random(50) < share, 1.0, -1.0)[:, None], 0.5, (50, 2))
    >>> def shard():
    ...     shares = rng.random(1000)
    ...     return [points(share) for share in shares], np.column_stack([shares, 1 - shares])
    >>> model = FeatureClassRatio([1.0], 100).partial_fit(*shard())
    >>> model = model.merge(FeatureClassRatio([1.0], 100).partial_fit(*shard()))
    >>> model.sets_, model.predict(np.concatenate([points(0.6) for _ in range(20)])).round(1)
    (2000, array([0.6, 0.4]))

    See Also
    --------
    MMDClassRatio : with the exact kernel, for as many sets as a matrix of all pairs can hold.
    """

    _learned = "_sums"

    bandwidths: ArrayLike | None = None
    random_features: int = 1000
    noise: float | None = None
    random_state: int = 0
    chosen_: int | None = field(init=False)
    sets_: int = field(init=False)
    points_: int = field(init=False)
    validation_errors_: Array | None = field(init=False)
    _sums: tuple[Array, Array, Array] = field(init=False)

    def partial_fit(self, bags: Fitted, proportions: Any = None) -> Self:
        """Take in further sets, given as to `fit`, as if all had come at once; there may be none."""
        self._check_settings()
        if isinstance(bags, list | tuple) and len(bags) == 0:
            return self
        shown = shown_sets(bags, proportions, "FeatureClassRatio")
        shares = shares_from(shown.proportions)
        require(len(shares) == len(as_bags(shown.bags, "bags")), "proportions must have one row for each of the bags")
        self._add(check_points(shown.bags, "bags", self._features()), shares, shown.noise)
        self.classes_ = shown.classes
        return self

    def merge(self, other: FeatureClassRatio) -> Self:
        """Take in the sets of another model with the same settings, if it saw any; the bandwidth stays this one's."""
        require(isinstance(other, FeatureClassRatio), f"other must be a FeatureClassRatio, not {type(other).__name__}")
        for name, value in self.get_params().items():
            require(np.array_equal(value, getattr(other, name)), f"only models of the same {name} merge")
        if other._features() is None:
            return self
        if self._features() is None:
            self._begin(other.n_features_in_, len(other._sums[0]))
        same = len(self._sums[0]) == len(other._sums[0]) and self.n_features_in_ == other.n_features_in_
        require(same, "only models of as many coordinates and classes merge")
        for own, more in zip(self._sums, other._sums, strict=True):
            own += more
        self._veiled += other._veiled
        self.classes_ = other.classes_
        self.sets_, self.points_ = self.sets_ + other.sets_, self.points_ + other.points_
        return self

    def tune(self, bags: Sequence[ArrayLike], proportions: ArrayLike) -> Self:
        """Choose the bandwidth with the least mean L1 error on these sets."""
        truth = shares_from(proportions)
        sets, _ = self._check_sets(list(bags))
        require(len(truth) == len(sets) > 0, "proportions must have one row for each of the bags, of at least one")
        estimates = self._ratios(sets, slice(None))
        self.validation_errors_ = np.asarray(np.abs(estimates - truth).sum(axis=-1).mean(axis=-1))
        apart = _apart(self._class_means()[1])
        usable = apart if apart.any() else ~apart
        self.chosen_ = int(np.argmin(np.where(usable, self.validation_errors_, np.inf)))
        self.bandwidth_ = float(self.bandwidths_[self.chosen_])
        return self

    def _predict_sets(self, sets: list[Array]) -> Array:
        require(self.chosen_ is not None, "bandwidths must be one, or tune must choose: there are several")
        chosen = cast(int, self.chosen_)
        return np.asarray(self._ratios(sets, slice(chosen, chosen + 1))[0])

    def _check_settings(self) -> None:
        require_noise(self.noise)
        seed = is_whole(self.random_state) and self.random_state >= 0
        require(seed, f"random_state must be a seed, a whole number of at least 0, not {self.random_state!r}")

    def _learn(self, lessons: Lessons) -> None:
        self.__dict__.pop("_sums", None)
        self._add(lessons.points, lessons.proportions, lessons.noise)
        if lessons.truth is not None:
            self.tune(lessons.held_out, lessons.truth)

    def _features(self) -> int | None:
        """How many coordinates points have, once any set was seen."""
        return self.n_features_in_ if hasattr(self, "_sums") else None

    def _begin(self, d: int, classes: int) -> None:
        """Nothing summed yet."""
        self.bandwidths_ = check_bandwidths(BANDWIDTHS if self.bandwidths is None else self.bandwidths)
        self._frequencies = draw_frequencies(d, self.random_features, default_rng(self.random_state))
        widths, features = len(self.bandwidths_), 2 * self._frequencies.shape[1]
        self._sums = (
            np.zeros((classes, classes)),
            np.zeros((widths, classes, features)),
            np.zeros((widths, classes, classes)),
        )
        self.n_features_in_, self.sets_, self.points_, self._veiled = d, 0, 0, 0.0
        self.validation_errors_ = None
        self.chosen_ = 0 if widths == 1 else None
        self.bandwidth_ = float(self.bandwidths_[0]) if widths == 1 else np.nan

    def _add(self, points: list[Array], shares: Array, told: Array | None) -> None:
        """Take in checked sets, with the noise that a release tells of each share."""
        if self._features() is None:
            self._begin(points[0].shape[1], shares.shape[1])
        before = len(self._sums[0])
        require(before == shares.shape[1], f"proportions must have {before} columns, as before, not {shares.shape[1]}")
        sizes = np.array([len(part) for part in points])
        require(sizes.min() >= 2, "bags must hold at least two points each")
        for start in range(0, len(points), GROUP):
            self._add_group(points[start : start + GROUP], shares[start : start + GROUP])
        noise = float(self.noise or 0.0) if self.noise is not None or told is None else told
        self._veiled += float((np.square(noise) * sizes).sum())

    def _add_group(self, points: Sequence[Array], shares: Array) -> None:
        """Σ n p pᵀ, Σ n p Φ̂ᵀ, and Σ n² p pᵀ (1 − ‖Φ̂‖²)/(n − 1): what the sets' own noise adds."""
        moments, sums, own = self._sums
        sizes = np.array([len(part) for part in points], dtype=float)
        weighted = shares * sizes[:, None]
        means = mean_features(points, self._frequencies, self.bandwidths_)
        excess = (1.0 - (means**2).sum(axis=-1)) / (sizes - 1.0)
        moments += shares.T @ weighted
        sums += weighted.T @ means
        own += np.einsum("ki,wk,kj->wij", weighted, excess, weighted)
        self.sets_, self.points_ = self.sets_ + len(points), self.points_ + int(sizes.sum())

    def _class_means(self) -> tuple[Array, Array]:
        """Kernel means of the classes at every width, and their inner products without the sets' own noise."""
        check_is_fitted(self, self._learned)
        moments, sums, own = self._sums
        classes = len(moments)
        rank = int(np.linalg.matrix_rank(moments, tol=1e-9 * self.points_, hermitian=True))
        require(rank == classes, f"proportions must tell {classes} classes apart (A0): their rank is {rank}")
        # Σ n σ² of the sets' noise, as the mean variance a point.
        moments = remove_noise(moments, float(self.points_), self.sets_, float(np.sqrt(self._veiled / self.points_)))
        means = np.linalg.solve(moments, sums)
        inverse = np.linalg.inv(moments)
        return means, means @ means.transpose(0, 2, 1) - inverse @ own @ inverse

    def _ratios(self, sets: Sequence[Array], chosen: slice) -> Array:
        """(widths, sets, classes), the shares whose mixture of class means is nearest to a set's."""
        means, gram = (part[chosen] for part in self._class_means())
        if not _apart(gram).any():
            warn("the classes' kernel means cannot be told apart beyond their noise")
        ratios = np.empty((len(means), len(sets), means.shape[1]))
        for start in range(0, len(sets), GROUP):
            features = mean_features(sets[start : start + GROUP], self._frequencies, self.bandwidths_[chosen])
            for w, (matrix, cross) in enumerate(zip(gram, means @ features.transpose(0, 2, 1), strict=True)):
                ratios[w, start : start + GROUP] = np.linalg.lstsq(matrix, cross, rcond=None)[0].T
        return np.asarray(project_to_simplex(ratios))


def _apart(gram: Array) -> Array:
    """At which widths the kernel means of the classes differ by more than the sets' own noise."""
    values = np.linalg.eigvalsh(gram)
    return np.asarray(values[:, 0] > 1e-9 * values[:, -1])
