"""Figure 6, the referee: R² as the paper counts it, skill, and the α that a share of least squares' skill takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from replication.arrays import Fields, Learned, under
from replication.papers.linear_moments.fig6.design import CENTRED, SOURCES, Parts, delta_bar, rows_used, variants, veil
from replication.papers.linear_moments.fig6.settings import Learn, Protocol
from replication.randomness import Trial
from unveil.errors import require
from unveil.mechanisms.per_value import PerValueRelease
from unveil.numerics.products import number_of_products
from unveil.types import Array, Floats

CONTRACT = ["dataset", "estimator", "alpha", "delta_bar", "trial", "r2", "n_train", "centred", "panel"]
COLUMNS = [*CONTRACT, "level", "epsilon", "skill", "uncentred_r2", "share", "density", "filled"]
Row: TypeAlias = dict[str, Any]


def score(learned: Learned, fields: Fields, trials: Sequence[Trial], settings: Learn) -> pd.DataFrame:
    """One row an estimator, level and trial; `level` is α, or α/δ̄ for per-value release; `epsilon` the exact level.

    `r2` is in the units of what was released: uncentred, and around the training mean for centred data. `skill`, one
    minus the squared error over that of the training mean, and `uncentred_r2` are the same metric for both releases.
    Beside least squares: `density`, ‖õ‖₁ of a training record on average, and `filled`, how many of its statistics are
    not zero, as shares of all.
    Panel `reach`: the smallest α at which an estimator has a `share` of least squares' skill; infinite if none has.
    """
    named = {SOURCES.get(dataset, dataset) for dataset in settings.protocols}
    require(named == set(fields), "protocols: must name the data sets that the arms of each stage read")
    rows: list[Row] = []
    for dataset, protocol in settings.protocols.items():
        for trial in trials:
            arrays = {name: array for arm in learned.values() for name, array in arm[trial.number].items()}
            whole = 0.0
            for variant, design in variants(fields, dataset, protocol, trial.public):
                whole = whole or float((design.test_target**2).sum(dtype=np.float64))
                weights = under(arrays, dataset, variant)
                label = {"dataset": dataset, "trial": trial.number, "centred": CENTRED[variant]}
                referee = Referee(design, whole, CENTRED[variant])
                scored = [
                    *_at_levels(referee, weights["levels"], protocol, settings),
                    *(_growing(referee, weights["growth"], protocol, settings) if "growth" in weights else ()),
                    *_baselines(referee, weights["clear"], {} if CENTRED[variant] else _density(design)),
                ]
                scored += _find_reaches(scored, settings)
                rows += [{"n_train": len(design.train), **label, **row} for row in scored]
    return pd.DataFrame(rows, columns=COLUMNS)


class Referee:
    """What weights are worth on the test part, by three measures of the same squared error."""

    def __init__(self, design: Parts, whole: float, is_centred: bool) -> None:
        self.design = design
        level = 0.0 if is_centred else design.train_target.mean(dtype=np.float64)
        self.constant = float(((design.test_target - level) ** 2).sum(dtype=np.float64))
        #: Σ y² as it was before centring.
        self.whole = whole
        self.own = float((design.test_target**2).sum(dtype=np.float64))

    def of_error(self, error: float) -> Row:
        """R² as released, skill and uncentred R² of a sum of squared errors."""
        return {"r2": 1 - error / self.own, "skill": 1 - error / self.constant, "uncentred_r2": 1 - error / self.whole}

    def of(self, weights: Floats) -> list[Row]:
        """The measures of each row of weights."""
        return [self.of_error(error) for error in squared_errors(self.design.test, self.design.test_target, weights)]


def squared_errors(X: Array, y: Array, weights: Floats) -> Floats:
    """‖Xw − y‖² for each row of `weights`."""
    residuals = X @ weights.T.astype(X.dtype) - y[:, None]
    return np.asarray((residuals**2).sum(axis=0, dtype=np.float64))


def _label(design: Parts, protocol: Protocol, level: float) -> Row:
    d = design.train.shape[1]
    mechanism = veil(protocol, d, level)
    if isinstance(mechanism, PerValueRelease):
        size, bound = number_of_products(d), delta_bar(protocol, d)
        exact = mechanism.tight_epsilon(size, min(bound, size))
        return {"alpha": mechanism.alpha, "delta_bar": bound, "epsilon": exact, "level": level}
    return {"alpha": level, "delta_bar": np.nan, "epsilon": mechanism.tight_epsilon(), "level": level}


def _at_levels(referee: Referee, weights: Floats, protocol: Protocol, settings: Learn) -> Iterable[Row]:
    for level, values in zip(protocol.levels, weights, strict=True):
        scores = dict(zip(settings.solvers, referee.of(values), strict=True))
        label = {**_label(referee.design, protocol, level), "panel": "alpha"}
        yield from ({**label, "estimator": f"moments_{solver}", **found} for solver, found in scores.items())
        if np.isinf(level):
            # ASSUME: the floor that binarisation leaves is shown for the primary solver.
            yield {**label, "estimator": "binarised", **scores[settings.solvers[0]]}


def _growing(referee: Referee, weights: Floats, protocol: Protocol, settings: Learn) -> Iterable[Row]:
    label = {**_label(referee.design, protocol, protocol.growth_level), "panel": "n"}
    for share, values in zip(settings.shares, weights, strict=True):
        n = rows_used(len(referee.design.train), share)
        for solver, found in zip(settings.solvers, referee.of(values), strict=True):
            yield {**label, "n_train": n, "estimator": f"moments_{solver}", **found}


def _baselines(referee: Referee, weights: Floats, density: Row) -> Iterable[Row]:
    """Least squares, and the mean of the training targets whatever the features."""
    (fitted,) = referee.of(weights[None])
    constant = referee.of_error(referee.constant)
    for estimator, found in (("least_squares", {**fitted, **density}), ("constant", constant)):
        yield {"panel": "alpha", "estimator": estimator, **found}


def _density(design: Parts) -> Row:
    """By sums over a record: of x_i x_j over i ≤ j there is half of (Σx)² + Σx², and of x_i y the product of both."""
    X, y, size = design.train, design.train_target, number_of_products(design.train.shape[1])
    total, squares = X.sum(axis=1, dtype=np.float64), np.einsum("ij,ij->i", X, X, dtype=np.float64)
    filled = np.count_nonzero(X, axis=1)
    return {
        "density": float(((total**2 + squares) / 2 + total * y).mean()) / size,
        "filled": float((filled * (filled + 1) / 2 + filled * (y != 0)).mean()) / size,
    }


def _find_reaches(scored: Sequence[Row], settings: Learn) -> Iterator[Row]:
    """The smallest α at which each solver has each share of least squares' skill."""
    best = next(row["skill"] for row in scored if row["estimator"] == "least_squares")
    for solver in settings.solvers:
        name = f"moments_{solver}"
        curve = sorted(
            (row["alpha"], row["skill"]) for row in scored if (row["estimator"], row["panel"]) == (name, "alpha")
        )
        alphas, skills = np.array(curve).T
        for share in settings.reach:
            alpha = first_reach(alphas, skills, share * best)
            yield {"panel": "reach", "estimator": name, "share": share, "alpha": alpha}


def first_reach(alphas: Floats, skills: Floats, wanted: float) -> float:
    """The smallest α with a skill, on the line between the grid's points over log α; the least α where all have it."""
    reached = np.flatnonzero(skills >= wanted)
    if not len(reached) or np.isinf(alphas[reached[0]]):
        return float("inf")
    k = int(reached[0])
    if k == 0:
        return float(alphas[0])
    way = (wanted - skills[k - 1]) / (skills[k] - skills[k - 1])
    return float(np.exp(np.log(alphas[k - 1]) * (1 - way) + np.log(alphas[k]) * way))
