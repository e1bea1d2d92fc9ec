"""Class ratios by likelihood through the sets: a calibrated set classifier, then EM on the test set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self, cast

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import issparse
from scipy.special import log_softmax

from unveil.errors import require
from unveil.estimators.bags.mmd_gram import thin_out
from unveil.estimators.bags.quantify import adjust_prior
from unveil.estimators.bags.sets import Lessons, SetQuantifier, check_costs
from unveil.types import Array

#: What the classes' scores may be divided by, where a model is too sure or too unsure of itself.
TEMPERATURES = tuple(2.0 ** (k / 4.0) for k in range(-4, 13))


class SetModel(NamedTuple):
    """Which set a point comes from, through classes that no one has seen.

    With s(x) the softmax of linear scores, class y has the density f_y = c·s_y·g, where g is that of all classes alike.
    A set is a mixture of classes, so P(set i | x) = π_i Σ_y P_iy s_y(x) / Σ_y κ_y s_y(x), κ = Σ_i π_i P_i.
    """

    centre: Array
    scale: Array
    weights: Array  #: (features + 1, classes)

    def log_shares(self, points: Array) -> Array:
        """The logarithm of s(x), (points, classes), of points as they are or as `lean` ones."""
        steps = self.weights[:-1] / self.scale[:, None]
        return np.asarray(log_softmax(lean(points) @ steps + (self.weights[-1] - self.centre @ steps), axis=1))


def lean(points: Array) -> Array:
    """The points, as a sparse matrix where few coordinates are not zero."""
    found = points if issparse(points) else thin_out(points)
    return points if found is None else cast(Array, found)


class Standardised(NamedTuple):
    """Standardised points with a column of ones, to be multiplied from both sides.

    Sparse ones are multiplied as they are: centring comes after them, and scaling goes to the other factor.
    """

    points: Array  #: standardised with the ones, or a sparse matrix as it was
    centre: Array
    scale: Array

    @classmethod
    def of(cls, points: Array, centre: Array, scale: Array) -> Self:
        """Points, or lean ones, with these means and deviations."""
        if issparse(points):
            return cls(points, centre, scale)
        x = np.ones((len(points), len(scale) + 1), dtype=points.dtype)
        x[:, :-1] = (points - centre) / scale
        return cls(x, centre, scale)

    def scores(self, theta: Array) -> Array:
        """The scores of all points, (classes, points), by the weights θ, (columns, classes)."""
        if not issparse(self.points):
            return np.ascontiguousarray((self.points @ theta.astype(self.points.dtype)).T, dtype=float)
        steps = theta[:-1] / self.scale[:, None]
        return np.ascontiguousarray((self.points @ steps + (theta[-1] - self.centre @ steps)).T)

    def pull_back(self, slopes: Array) -> Array:
        """What slopes by the scores, (classes, points), are by the weights: (columns, classes)."""
        if not issparse(self.points):
            return np.asarray((slopes.astype(self.points.dtype) @ self.points).T, dtype=float)
        total = slopes.sum(axis=1)
        moved = (self.points.T @ slopes.T - self.centre[:, None] * total) / self.scale[:, None]
        return np.concatenate([moved, total[None]])


def fit_set_models(points: Array, rows: Array, costs: Sequence[float]) -> Iterator[SetModel]:
    """Penalised maximum likelihood of the sets' identities at each cost, each from where the last one ended.

    `rows` holds the proportions of each point's own set.
    """
    moving = np.ptp(points, axis=0) > 0  # the others say nothing, and their weights stay zero
    centre, scale = points.mean(axis=0, dtype=float), np.ones(points.shape[1])
    used = lean(points)[:, moving]
    scale[moving] = _deviations(used, centre[moving])
    x = Standardised.of(used, centre[moving], scale[moving])
    kept = np.append(moving, True)
    theta = np.zeros((int(kept.sum()), rows.shape[1]))
    for cost in costs:
        theta = _fit(x, rows, np.append(np.full(len(theta) - 1, 1.0 / (cost * len(rows))), 0.0)[:, None], theta)
        weights = np.zeros((len(kept), theta.shape[1]))
        weights[kept] = theta
        yield SetModel(centre, scale, weights)


def _deviations(points: Any, centre: Array) -> Array:
    """The standard deviation of every column around its mean, in double precision."""
    if not issparse(points):
        return np.asarray(points.std(axis=0, dtype=float))
    off = np.bincount(points.indices, (points.data - centre[points.indices]) ** 2, len(centre))
    zeros = points.shape[0] - np.bincount(points.indices, minlength=len(centre))
    return np.asarray(np.sqrt((off + zeros * centre**2) / points.shape[0]))


def _fit(x: Standardised, rows: Array, penalty: Array, start: Array) -> Array:
    """The weights, (columns of x, classes), from a start."""
    shares = np.ascontiguousarray(rows.T)
    pooled = shares.mean(axis=1)

    def objective(flat: Array) -> tuple[float, Array]:
        theta = flat.reshape(start.shape)
        scores = x.scores(theta)
        odds = np.exp(scores - scores.max(axis=0))  # what they sum to cancels
        own = odds * shares
        here, there = own.sum(axis=0), pooled @ odds
        slopes = (odds * pooled[:, None] / there - own / here) / len(rows)
        pull = penalty * theta
        loss = float(np.log(there / here).mean() + 0.5 * (pull * theta).sum())
        return loss, (x.pull_back(slopes) + pull).ravel()

    found = minimize(objective, start.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 300, "gtol": 1e-4})
    return np.asarray(found.x).reshape(start.shape)


@dataclass(eq=False, repr=False)
class SetIdEM(SetQuantifier):
    """Class ratios by maximum likelihood, from a calibrated classifier that tells sets apart.

    The classifier knows the proportions P: a point comes from set i with a probability ∝ π_i Σ_y P_iy p(x | y), and the
    class densities p(x | y), relative to each other, are a logistic regression's. EM over the prior (Saerens, Latinne
    and Decaestecker 2002) then finds the ratios under which a test set is most likely. Penalty and temperature are
    chosen so that the held-out bags are most likely: those to validate on, or else every second point of each bag. Its
    strength is that every point counts by how much it tells, its weakness that the probabilities must be right: where
    no logistic regression describes the classes, it is biased.

    Parameters
    ----------
    costs : sequence of float
        Inverse strengths of the classifier's L2 penalty to choose from, for standardised features.

    Attributes
    ----------
    model_ : tuple
        The regression: centre and scale of the features, and weights with the intercept last.
    cost_, temperature_ : float
        The chosen penalty, and what the regression's scores are divided by.
    classes_ : ndarray of shape (n_classes,)
        What the classes are called: as a release says, else numbers from 0.
    n_features_in_ : int
        The number of coordinates of a point.

    See Also
    --------
    SetIdLogistic : unmixes the same classifier's mean probabilities.
    MMDClassRatio, ProportionSVM : other ways to learn from the same sets.
    EMQ : the same with the labels of instances.

    Examples
    --------
    >>> import numpy as np
    >>> from unveil import SetIdEM
    >>> rng = np.random.default_rng(0)
    >>> def points(share):
    ...     return rng.normal(np.where(rng.random(500) < share, 1.0, -1.0)[:, None], 0.5, (500, 2))
    >>> model = SetIdEM().fit([points(0.9), points(0.2)], [[0.9, 0.1], [0.2, 0.8]])
    >>> model.predict(points(0.6)).round(1)
    array([0.6, 0.4])
    """

    costs: Sequence[float] = (0.001, 0.01, 0.1, 1.0)

    def _check_settings(self) -> None:
        check_costs(self.costs)

    def _learn(self, lessons: Lessons) -> None:
        costs = sorted(check_costs(self.costs))
        learning, held_out, truth = lessons.halve()
        points, shown, rows = np.concatenate(learning), lean(np.concatenate(held_out)), lessons.proportions
        own, where = (
            np.repeat(of, [len(bag) for bag in sets], axis=0) for of, sets in ((rows, learning), (truth, held_out))
        )
        best, pooled = np.inf, where.mean(axis=0)
        for cost, model in zip(costs, fit_set_models(points, own, costs), strict=True):
            logs = model.log_shares(shown)
            for temperature in TEMPERATURES:
                shares = np.exp(log_softmax(logs / temperature, axis=1))
                loss = float(np.log((shares @ pooled) / (shares * where).sum(axis=1)).mean())
                if loss < best:
                    best, self.model_, self.cost_, self.temperature_ = loss, model, cost, temperature

    def _state(self) -> dict[str, Any]:
        """What it predicts from."""
        return {**self.model_._asdict(), "cost": self.cost_, "temperature": self.temperature_}

    def _restore(self, cost: float, temperature: float, **model: Array) -> None:
        self.model_, self.cost_, self.temperature_ = SetModel(**model), cost, temperature
        require(len(self.model_.weights) == len(self.model_.scale) + 1, "it must have weights for every feature")

    def _predict_one(self, points: Array) -> Array:
        return most_likely_ratios(self.model_.log_shares(points) / self.temperature_)


def most_likely_ratios(log_likelihoods: Array) -> Array:
    """The class ratios under which points with these likelihoods of the classes, (points, classes), are most likely."""
    even = np.full(log_likelihoods.shape[1], 1.0 / log_likelihoods.shape[1])
    return adjust_prior(np.exp(log_softmax(log_likelihoods, axis=1)), even, tolerance=1e-7, steps=2000)
