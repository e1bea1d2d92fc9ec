"""What all quantifiers share: sets, or a release of their proportions, to learn from; and sets to answer for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple, Self, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from unveil.errors import require, require_number
from unveil.estimators.bags.mixtures import check_bag_proportions, held_out_bags, shares_from
from unveil.estimators.bags.mmd_gram import as_bags, check_points
from unveil.protocols.base import Release
from unveil.types import Array, as_array, as_numbers

#: Sets with their proportions, or the proportions as they were released with their sets.
Fitted = Sequence[ArrayLike] | Release
Held = tuple[Sequence[ArrayLike], ArrayLike]


class ShownSets(NamedTuple):
    """Sets, their proportions, how large the noise of each set's is where it is known, and the classes' names."""

    bags: Sequence[ArrayLike]
    proportions: ArrayLike
    noise: Array | None
    classes: Array


def shown_sets(bags: Fitted, proportions: Any, estimator: str) -> ShownSets:
    """The arguments of `fit`: sets and proportions, or a release of the protocol "ratios" and its sets, in order."""
    if not isinstance(bags, Release):
        require(
            not isinstance(proportions, Release), "bags must come last where a release is given: fit(release, bags)"
        )
        require(proportions is not None, "proportions must be given, or bags be a release")
        shape = as_array(proportions, "proportions").shape
        return ShownSets(bags, proportions, None, np.arange(shape[-1] if shape else 0))
    release, sets = bags, proportions
    release.require_protocol("ratios", estimator)
    require(sets is not None, "bags must be given: the sets that the release tells the proportions of")
    sizes, seen = release.arrays["sizes"].tolist(), [points.shape[0] for points in as_bags(sets, "bags")]
    require(len(seen) == len(sizes), f"bags must be the {len(sizes)} sets of the release, in the same order")
    wrong = [k for k, (size, number) in enumerate(zip(sizes, seen, strict=True)) if size != number]
    require(
        not wrong,
        f"bags must be the sets of the release, in the same order: "
        f"{f'bags[{wrong[0]}] has {seen[wrong[0]]} points, not {sizes[wrong[0]]}' if wrong else ''}",
    )
    names = np.asarray(release.parameters["classes"])
    return ShownSets(sets, release.arrays["proportions"], release.arrays["noise"], names)


def require_noise(noise: float | None) -> None:
    """Raise unless this can be the standard deviation of what veils a proportion, or is not given."""
    if noise is not None:
        require_number(noise, "noise")
        require(0.0 <= noise < np.inf, f"noise must be finite and not negative, not {noise}")


def check_costs(costs: Sequence[float]) -> list[float]:
    """Candidates for a cost, at least one."""
    found = as_numbers(costs, "costs")
    require(
        found.ndim == 1 and found.size > 0 and bool(((found >= 1e-10) & (found <= 1e10)).all()),
        "costs must be positive: a list of numbers between 1e-10 and 1e10",
    )
    return cast("list[float]", found.tolist())


class Lessons(NamedTuple):
    """Checked: the points and the proportions of the sets to learn from, and of those that are held out."""

    points: list[Array]
    proportions: Array
    held_out: list[Array]
    truth: Array | None  #: the proportions of those held out, where there are any
    noise: Array | None

    def halve(self) -> tuple[list[Array], list[Array], Array]:
        """Points to learn from, points held out, and their proportions; without any, every second point is held out."""
        if self.truth is not None:
            return self.points, self.held_out, self.truth
        held_out = check_points([bag[1::2] for bag in self.points], "the held-out halves of bags")
        return [bag[::2] for bag in self.points], held_out, self.proportions


class Quantifier(BaseEstimator):
    """What answers for sets of points with the ratios of classes in them."""

    classes_: Array
    n_features_in_: int
    #: What only a fitted one has.
    _learned: ClassVar[str] = "model_"
    #: Whether sparse matrices of points stay sparse.
    _keep_sparse: ClassVar[bool] = False

    def predict(self, X: ArrayLike | Sequence[ArrayLike]) -> Array:
        """Class ratios of a set, a matrix of points; of several sets, one a row, for a list of matrices."""
        return self._answer(X, self._predict_sets)

    # A quantifier has one of these two, and the other follows.
    def _predict_sets(self, sets: list[Array]) -> Array:
        return np.stack([self._predict_one(points) for points in sets])

    def _predict_one(self, points: Array) -> Array:
        return np.asarray(self._predict_sets([points])[0])

    def score(self, X: Sequence[ArrayLike], ratios: ArrayLike) -> float:
        """Minus the mean L1 distance between predicted and known class ratios of the sets: the greater the better."""
        sets = list(X) if isinstance(X, list | tuple) else [cast(ArrayLike, X)]
        known = shares_from(ratios, "ratios")
        require(len(known) == len(sets), "ratios must have one row for each of the sets")
        return -float(np.abs(self.predict(sets) - known).sum(axis=1).mean())

    def _answer(self, X: ArrayLike | Sequence[ArrayLike], asked: Callable[[list[Array]], Array]) -> Array:
        sets, several = self._check_sets(X)
        ratios = asked(sets)
        return ratios if several else np.asarray(ratios[0])

    def _check_sets(self, X: ArrayLike | Sequence[ArrayLike]) -> tuple[list[Array], bool]:
        """The sets that are asked about, and whether they are several."""
        check_is_fitted(self, self._learned)
        several = isinstance(X, list | tuple) and len(X) > 0 and np.ndim(cast(Any, X[0])) == 2
        sets = X if several else [cast(ArrayLike, X)]
        return check_points(sets, "X", self.n_features_in_, self._keep_sparse), several


class SetQuantifier(Quantifier):
    """A quantifier that learns from sets of points with the proportions of their classes."""

    def fit(self, bags: Fitted, proportions: Any = None, validation: Held | None = None) -> Self:
        """Learn from a release of the protocol "ratios" and its bags, or from `bags` and their class `proportions`.

        Bags are matrices of points, one a set, and proportions have one row a set. Counts of the classes, and
        proportions that were rounded, stand for the proportions that they mean. `validation` is another pair of bags
        and proportions: what is chosen or calibrated, is so on these.
        """
        self._check_settings()
        self._learn(self._lessons(bags, proportions, validation))
        if isinstance(bags, Release):
            bags.warn_of(self)
        return self

    @abstractmethod
    def _check_settings(self) -> None:
        """Raise unless the parameters can be used."""

    @abstractmethod
    def _learn(self, lessons: Lessons) -> None:
        """Set what is learned from checked sets."""

    def _lessons(self, bags: Fitted, proportions: Any, validation: Held | None) -> Lessons:
        shown = shown_sets(bags, proportions, type(self).__name__)
        rows = check_bag_proportions(shown.bags, shown.proportions)
        points = check_points(shown.bags, "bags", keep_sparse=self._keep_sparse)
        self.classes_, self.n_features_in_ = shown.classes, points[0].shape[1]
        held_out: list[Array] = []
        truth: Array | None = None
        if validation is not None:
            held_out, truth = held_out_bags(validation, self.n_features_in_, rows.shape[1])
        return Lessons(points, rows, held_out, truth, shown.noise)
