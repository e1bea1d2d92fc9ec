"""The referee: accuracy and AUC on held-out records, and the level that each release really had."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from math import inf

import numpy as np
import pandas as pd

from replication.arrays import Fields, Learned, Named, under
from replication.common.tasks import training
from replication.papers.mean_operator.operator_noise import crossover_size
from replication.papers.mean_operator.perturbation import ObjectivePerturbation
from replication.papers.mean_operator.rules import RULES
from replication.papers.mean_operator.scoring import Row, frame, held_out
from replication.randomness import Trial
from unveil.estimators.statistics.losses import linear_odd_loss
from unveil.types import Array, Floats

COLUMNS = ["dataset", "mechanism", "loss", "alpha", "true_alpha", "l2", "m", "trial", "accuracy", "auc"]
MORE = ["panel", "base_rate", "statistic_error", "predicted_crossover", "rule"]


def score(learned: Learned, fields: Fields, trials: Sequence[Trial]) -> pd.DataFrame:
    """One row a model."""
    return frame(learned, trials, partial(_models, fields), COLUMNS + MORE)


def _models(fields: Fields, part: Named, trial: Trial) -> Iterator[Row]:
    """Every model of one trial of one arm, held against the records that were held out."""
    dataset, swept = part["dataset"].item(), bool(part["swept"])
    X, _ = training(dataset, fields, trial, shuffled=swept)
    test, truth, base_rate = held_out(dataset, fields, trial)
    about = {"dataset": dataset, "trial": trial.number, "panel": "m" if swept else "alpha", "base_rate": base_rate}
    for index, m in enumerate(part["m"]):
        bounds = _Bounds(X[:m])
        for name, thetas in under(part, "theta").items():
            measures = _measures(test @ thetas[index].reshape(-1, test.shape[1]).T, truth)
            for cell, right, area in zip(_cells(part, str(name), index, bounds), *measures, strict=True):
                if not np.isnan(area):  # else there is no such mechanism for this loss, or no such choice
                    yield {**about, **cell, "accuracy": right, "auc": area}


def _cells(part: Named, mechanism: str, index: int, bounds: _Bounds) -> list[Row]:
    """What each model of a mechanism is, in the order in which the learner wrote them."""
    levels, losses = [inf] if mechanism == "none" else part["alphas"].tolist(), part["losses"].tolist()
    errors, l2s = _errors(part, mechanism, index, len(levels)), part["l2", mechanism][index]
    return [
        {
            "mechanism": mechanism,
            "loss": loss,
            "alpha": alpha,
            "true_alpha": TRUE_LEVELS[mechanism](alpha, loss, part["asked"][index][i, j, k], bounds),
            "l2": l2s[i, j, k],
            "m": bounds.m,
            "statistic_error": errors[i],
            "predicted_crossover": _crossover(mechanism, alpha, bounds) if part["swept"] else np.nan,
            "rule": rule,
        }
        for (i, alpha), (j, loss), (k, rule) in product(enumerate(levels), enumerate(losses), enumerate(RULES))
    ]


class _Bounds:
    """What the levels depend on of the public training features."""

    def __init__(self, train: Floats) -> None:
        self.m, self.d = train.shape
        self.l1, self.l2 = (float(np.max(np.linalg.norm(train, ord=order, axis=1))) for order in (1, 2))


def _errors(part: Named, mechanism: str, index: int, count: int) -> Floats:
    """How far each statistic is from the exact one; NaN for releases that are no statistic."""
    if ("statistic", mechanism) not in part:
        return np.full(count, np.nan)
    exact = part["statistic", "none"][index]
    distance: Floats = np.linalg.norm(part["statistic", mechanism][index] - exact, axis=1)
    return distance


def _measures(margins: Floats, truth: Array) -> tuple[Floats, Floats]:
    """Accuracy and area under the ROC curve of each column of margins (Mann and Whitney's statistic)."""
    positive = truth > 0
    above, below = (np.sort(margins[side].T, axis=1) for side in (positive, ~positive))
    # Each pair counts twice, and once where it is a tie: whole numbers, so nothing is rounded.
    wins = [
        sum(int(np.searchsorted(b, a, side).sum()) for side in ("left", "right"))
        for a, b in zip(above, below, strict=True)
    ]
    auc = np.array(wins) / 2 / (above.shape[1] * below.shape[1])
    accuracy = np.mean((margins > 0) == positive[:, None], axis=0)
    missing = np.isnan(margins).any(axis=0)
    return np.where(missing, np.nan, accuracy), np.where(missing, np.nan, auc)


def _as_claimed(alpha: float, loss: str, l2: float, bounds: _Bounds) -> float:
    return alpha


def _objective_level(alpha: float, loss: str, l2: float, bounds: _Bounds) -> float:
    kind = linear_odd_loss(loss)
    if not np.isfinite(kind.lipschitz):
        return np.nan  # objective perturbation asks for bounded derivatives
    perturbation = ObjectivePerturbation(alpha, kind.lipschitz, kind.steepest, l2)
    return perturbation.label_epsilon(kind.a, bounds.m, bounds.l2)


#: The exact privacy level of a label, given the public features.
#: ASSUME: for output perturbation the level that it guarantees, since its exact one depends on the labels themselves.
TRUE_LEVELS: Mapping[str, Callable[[float, str, float, _Bounds], float]] = {
    "none": _as_claimed,
    "printed": lambda alpha, _loss, _l2, bounds: alpha * bounds.l1,
    "laplace": _as_claimed,  # its scale follows the features' own bound
    "gamma": lambda alpha, _loss, _l2, bounds: alpha * bounds.l2,
    "randomized_response": _as_claimed,
    "output": _as_claimed,
    "objective": _objective_level,
}


def _crossover(mechanism: str, alpha: float, bounds: _Bounds) -> float:
    """Where theory lets the noise on the statistic fall below that of randomised response."""
    if mechanism not in ("laplace", "gamma"):
        return np.nan
    return crossover_size(mechanism, bounds.d, alpha, bounds.l1)
