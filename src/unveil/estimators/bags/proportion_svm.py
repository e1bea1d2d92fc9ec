"""∝SVM: a support vector machine from label proportions (Yu et al. 2013, alter-∝SVM)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.random import Generator
from numpy.typing import ArrayLike

from unveil.errors import require, warn
from unveil.estimators.bags.kernel_svm import solve_svm
from unveil.estimators.bags.mmd_gram import BANDWIDTHS, check_bandwidths
from unveil.estimators.bags.sets import Lessons, SetQuantifier, check_costs
from unveil.estimators.bags.unmixing import class_scores, unmix
from unveil.estimators.validation import as_generator, require_settings
from unveil.types import Array

#: The kernel of more points is announced: it grows with their square, and time with more than that.
MANY_POINTS = 4000


class _Model(NamedTuple):
    """A trained machine: what it costs, its dual, and the kernel it was trained with."""

    objective: float
    dual: Array
    offset: float
    bandwidth: float
    cost: float


@dataclass(eq=False, repr=False)
class ProportionSVM(SetQuantifier):
    """Class ratios by ∝SVM: guess the labels of the bags, train a kernel SVM on them, and so on, annealed.

    The alternating method of Yu et al. (2013, Algorithm 1). Two classes; the ratio of a set is the share of its
    predicted labels, as the comparison of Iyer et al. (2016, section 4.2) has it.

    Parameters
    ----------
    bandwidths : array-like, optional
        Candidates for the bandwidth of the kernel, chosen by the L1 error on the validation bags; 2⁻⁵ … 2⁵ by default.
    costs : sequence of float
        Candidates for the SVM's cost C, chosen likewise.
    proportion_cost : float
        C_p, the price of a guessed count that differs from the known one, per member. ASSUME: Yu et al. charge the
        difference in shares, which for bags of hundreds would weigh nothing beside the hinge losses.
    annealing : float
        C starts at 10⁻⁵ of its value and grows by this factor, so that early guesses can still be undone.
    restarts : int
        Random first guesses; the one with the least objective is kept.
    random_state : int, numpy.random.Generator or None
        Where the first guesses come from.

    Attributes
    ----------
    model_ : tuple
        The chosen machine: objective, dual, offset, bandwidth and cost.
    validation_error_ : float
        Its mean L1 error on the validation bags, or on the training bags where there are none.
    class_scores_ : ndarray of shape (2, 2)
        The mean shares of predicted labels for each class, which `predict_unmixed` undoes.
    classes_ : ndarray of shape (n_classes,)
        What the classes are called: as a release says, else numbers from 0.
    n_features_in_ : int
        The number of coordinates of a point.

    See Also
    --------
    MMDClassRatio, SetIdLogistic : other ways to learn from the same sets.

    Examples
    --------
    >>> import numpy as np
    >>> from unveil import ProportionSVM
    >>> rng = np.random.default_rng(0)
    >>> def points(share):
    ...     return rng.normal(np.where(rng.random(50) < share, 1.0, -1.0)[:, None], 0.5, (50, 2))
    >>> bags = [points(0.1), points(0.8)]
    >>> model = ProportionSVM(bandwidths=[1.0], costs=[1.0]).fit(bags, [[0.9, 0.1], [0.2, 0.8]])
    >>> model.predict([[-1.0, -1.0], [1.0, 1.0], [0.9, 1.2], [1.1, 0.8]])
    array([0.25, 0.75])
    """

    bandwidths: ArrayLike | None = None
    costs: Sequence[float] = (0.1, 1.0, 10.0)
    proportion_cost: float = 10.0
    annealing: float = 1.5
    restarts: int = 2
    random_state: int | Generator | None = 0

    def _check_settings(self) -> None:
        require_settings(self, ("annealing", "proportion_cost"), ("restarts",))
        # A factor nearer to one would take millions of steps; hundreds of restarts are a lifetime already.
        require(
            1.0001 <= self.annealing < np.inf, f"annealing must be finite and at least 1.0001, not {self.annealing}"
        )
        require(1 <= self.restarts <= 10_000, f"restarts must lie between 1 and 10000, not {self.restarts}")
        require(
            0 <= self.proportion_cost <= 1e100,
            f"proportion_cost must lie between 0 and 1e100, not {self.proportion_cost}",
        )
        check_costs(self.costs)

    def _learn(self, lessons: Lessons) -> None:
        points, rows = lessons.points, lessons.proportions
        require(rows.shape[1] == 2, "proportions must have two columns: ∝SVM knows two classes")
        held_out, truth = (points, rows) if lessons.truth is None else (lessons.held_out, lessons.truth)
        self._points = np.concatenate([bag.astype(float, copy=False) for bag in points])
        if len(self._points) > MANY_POINTS:
            gigabytes = 16 * len(self._points) ** 2 / 2**30
            said = f"{len(self._points):,} points: ∝SVM needs {gigabytes:.1f} GiB and many minutes"
            warn(f"{said}; MMDClassRatio and SetIdEM need neither")
        starts = np.cumsum([0, *map(len, points)])
        rng = as_generator(self.random_state)
        squares = self._squares(self._points)
        apart = squares if lessons.truth is None else self._squares(np.concatenate(held_out))
        cuts, best = np.cumsum([len(bag) for bag in held_out])[:-1], np.inf
        for bandwidth in check_bandwidths(BANDWIDTHS if self.bandwidths is None else self.bandwidths):
            kernel = _gaussian(squares, bandwidth)
            others = kernel if lessons.truth is None else _gaussian(apart, bandwidth)
            for cost in check_costs(self.costs):
                runs = [self._anneal(kernel, starts, rows[:, 1], cost, rng) for _ in range(int(self.restarts))]
                model = _Model(*min(runs, key=lambda run: run[0]), bandwidth, cost)
                found = np.split(others @ model.dual + model.offset > 0, cuts)
                share = np.array([one.mean() for one in found])
                error = 2.0 * float(np.abs(share - truth[:, 1]).mean())
                if error < best:
                    best, self.model_, shares = error, model, share
        self.validation_error_ = best
        self.class_scores_ = class_scores(np.column_stack([1 - shares, shares]), truth)

    def predict_unmixed(self, X: ArrayLike | Sequence[ArrayLike]) -> Array:
        """Class ratios of one set, or of several: the same shares, unmixed by those of the validation bags."""
        return self._answer(X, lambda sets: unmix(self._predict_sets(sets), self.class_scores_))

    def decide(self, X: ArrayLike) -> Array:
        """Whether each point of one set is taken for a member of the second class: ratios are shares of them."""
        (points,), _ = self._check_sets([X])
        return self._decide(points)

    def _state(self) -> dict[str, Any]:
        """What it predicts from."""
        return {"points": self._points, **self.model_._asdict(), "class_scores": self.class_scores_}

    def _restore(self, points: Array, class_scores: Array, **model: Any) -> None:
        self._points, self.class_scores_, self.model_ = points, class_scores, _Model(**model)

    def _decide(self, points: Array) -> Array:
        kernel = _gaussian(self._squares(points), self.model_.bandwidth)
        return np.asarray(kernel @ self.model_.dual + self.model_.offset > 0)

    def _predict_one(self, points: Array) -> Array:
        share = float(self._decide(points).mean())
        return np.array([1.0 - share, share])

    def _squares(self, points: Array) -> Array:
        """Squared distances to the training points: the same for every bandwidth and cost."""
        centre = self._points.mean(axis=0)  # smaller norms cancel less
        known = self._points - centre
        asked = known if points is self._points else points - centre
        squares = asked @ (-2.0 * known.T)
        squares += np.einsum("ij,ij->i", asked, asked)[:, None] + np.einsum("ij,ij->i", known, known)
        if asked is known:
            np.fill_diagonal(squares, 0.0)
        return np.asarray(np.maximum(squares, 0.0, out=squares))

    def _anneal(
        self, kernel: Array, starts: Array, positive: Array, cost: float, rng: Generator
    ) -> tuple[float, Array, float]:
        """From random labels alternate at every cost until they rest (their Algorithm 1): objective, dual, offset."""
        labels = first_labels(starts, positive, rng)
        # At a low cost every dual is at its bound, or nearly all are.
        dual, scores, price, offset, current = labels, kernel @ labels, 0.0, 0.0, 1e-5 * cost
        while current < cost:
            current = min(current * self.annealing, cost)
            for _ in range(10):
                dual, offset, scores = solve_svm(kernel, labels, current, dual, scores)
                guessed, price = best_labels(scores + offset, starts, positive, current, float(self.proportion_cost))
                settled, labels = bool((guessed == labels).all()), guessed
                if settled:
                    break
        return 0.5 * float(dual @ scores) + price, dual, offset


def _gaussian(squares: Array, bandwidth: float) -> Array:
    kernel = squares / (-2.0 * bandwidth**2)
    return np.asarray(np.exp(kernel, out=kernel))


def first_labels(starts: Array, positive: Array, rng: Generator) -> Array:
    """Random labels ±1 with the known proportions in every bag."""
    labels = -np.ones(starts[-1])
    for start, stop, share in zip(starts[:-1], starts[1:], positive, strict=True):
        labels[start + rng.permutation(stop - start)[: round(share * (stop - start))]] = 1.0
    return labels


@njit(cache=True)
def best_labels(
    scores: Array, starts: Array, positive: Array, cost: float, proportion_cost: float
) -> tuple[Array, float]:
    """The labels that minimise C (Σ hinge + C_p |count − known count|) for fixed scores, and that minimum.

    For a given number of positives they are the points with the highest gain hinge(−f) − hinge(f): sort
    once and compare all numbers.
    """
    labels, total = -np.ones(len(scores)), 0.0
    for k in range(len(positive)):
        f = scores[starts[k] : starts[k + 1]]
        as_negative = np.maximum(1.0 + f, 0.0)
        losses = np.maximum(1.0 - f, 0.0) - as_negative
        order = np.argsort(losses, kind="mergesort")
        hinges, known = as_negative.sum(), positive[k] * len(f)
        least, count = hinges + proportion_cost * known, 0
        for taken in range(1, len(f) + 1):
            hinges += losses[order[taken - 1]]
            price = hinges + proportion_cost * abs(taken - known)
            if price < least:
                least, count = price, taken
        labels[starts[k] + order[:count]] = 1.0
        total += cost * least
    return labels, total
