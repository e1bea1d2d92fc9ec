"""The referee: accuracy and AUC on held-out records, and the level that each release really had."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import inf
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from scipy import stats

from replication.papers.mean_operator.tasks import PublicFeatures, is_test, label_signs
from replication.randomness import Trial
from unveil.estimators.statistics.losses import linear_odd_loss
from unveil.mechanisms.label_perturbation import ObjectivePerturbation
from unveil.theory.operator_noise import crossover_size
from unveil.types import Array, Arrays, Floats

COLUMNS = ["dataset", "mechanism", "loss", "alpha", "true_alpha", "l2", "m", "trial", "accuracy", "auc"]
MORE = ["panel", "base_rate", "statistic_error", "predicted_crossover"]
PUBLIC = PublicFeatures()

Row: TypeAlias = dict[str, Any]


def score(
    learned: Mapping[str, Sequence[Arrays]],
    fields: Mapping[str, Arrays],
    trials: Sequence[Trial],
) -> pd.DataFrame:
    """One row a model."""
    rows: list[Row] = []
    for parts in learned.values():
        for trial, part in zip(trials, parts, strict=False):
            rows += _trial_rows(part, fields, trial)
    return pd.DataFrame(rows)[COLUMNS + MORE]


def _trial_rows(part: Arrays, fields: Mapping[str, Arrays], trial: Trial) -> list[Row]:
    """Every model of one trial of one arm, held against the records that were held out."""
    dataset, everybody = str(part["dataset"]), part["everybody"]
    features = PUBLIC.of(dataset, fields, everybody)
    held_out = is_test(dataset, fields, everybody, trial)
    rows = np.flatnonzero(~held_out)
    if part["swept"]:
        rows = rows[trial.public.permutation(len(rows))]
    test, truth = features[held_out], label_signs(dataset, fields, everybody[held_out])
    about = {
        "dataset": dataset,
        "trial": trial.number,
        "panel": "m" if part["swept"] else "alpha",
        "base_rate": max(np.mean(truth > 0), np.mean(truth < 0)),
    }
    found: list[Row] = []
    for index, m in enumerate(part["m"]):
        bounds = _Bounds(features[rows[:m]])
        for name in part:
            if name.startswith("theta_"):
                mechanism = name.removeprefix("theta_")
                measures = _measures(test @ part[name][index].reshape(-1, test.shape[1]).T, truth)
                cells = _cells(part, mechanism, index, bounds)
                found += [
                    {**about, **cell, "accuracy": right, "auc": area}
                    for cell, right, area in zip(cells, *measures, strict=True)
                    if not np.isnan(area)  # there is no such mechanism for this loss
                ]
    return found


def _cells(part: Arrays, mechanism: str, index: int, bounds: _Bounds) -> list[Row]:
    """What each model of a mechanism is, in the order in which the learner wrote them."""
    levels = [inf] if mechanism == "none" else part["alphas"].tolist()
    errors = _errors(part, mechanism, index, len(levels))
    return [
        {
            "mechanism": mechanism,
            "loss": loss,
            "alpha": alpha,
            "true_alpha": true_level(mechanism, alpha, loss, l2, bounds),
            "l2": l2,
            "m": bounds.m,
            "statistic_error": error,
            "predicted_crossover": _crossover(mechanism, alpha, bounds) if part["swept"] else np.nan,
        }
        for (alpha, error), loss, l2 in product(
            zip(levels, errors, strict=True), part["losses"].tolist(), part["l2s"].tolist()
        )
    ]


class _Bounds:
    """What the levels depend on of the public training features."""

    def __init__(self, train: Floats) -> None:
        self.m, self.d = train.shape
        self.l1, self.l2 = (float(np.max(np.linalg.norm(train, ord=order, axis=1))) for order in (1, 2))


def _errors(part: Arrays, mechanism: str, index: int, count: int) -> Floats:
    """How far each statistic is from the exact one; NaN for releases that are no statistic."""
    if f"statistic_{mechanism}" not in part:
        return np.full(count, np.nan)
    exact = part["statistic_none"][index]
    distance: Floats = np.linalg.norm(part[f"statistic_{mechanism}"][index] - exact, axis=1)
    return distance


def _measures(margins: Floats, truth: Array) -> tuple[Floats, Floats]:
    """Accuracy and area under the ROC curve of each column of margins (Mann and Whitney's statistic)."""
    positive = truth > 0
    n_positive, n_negative = int(positive.sum()), int((~positive).sum())
    ranks = stats.rankdata(margins, axis=0)
    auc = (ranks[positive].sum(axis=0) - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative)
    accuracy = np.mean((margins > 0) == positive[:, None], axis=0)
    missing = np.isnan(margins).any(axis=0)
    return np.where(missing, np.nan, accuracy), np.where(missing, np.nan, auc)


def true_level(mechanism: str, alpha: float, loss: str, l2: float, bounds: _Bounds) -> float:
    """The exact privacy level of a label, given the public features.

    ASSUME: for output perturbation the level that it guarantees, since its exact one depends on the labels themselves.
    """
    if mechanism == "none":
        return inf
    if mechanism == "printed":
        return alpha * bounds.l1
    if mechanism == "gamma":
        return alpha * bounds.l2
    if mechanism == "objective":
        kind = linear_odd_loss(loss)
        if not np.isfinite(kind.lipschitz):
            return np.nan  # objective perturbation asks for bounded derivatives
        perturbation = ObjectivePerturbation(alpha, kind.lipschitz, kind.steepest, l2)
        return perturbation.label_epsilon(kind.a, bounds.m, bounds.l2)
    return (
        alpha  # by construction: Laplace at the features' own bound, randomised response, output perturbation
    )


def _crossover(mechanism: str, alpha: float, bounds: _Bounds) -> float:
    if mechanism not in ("laplace", "gamma"):
        return np.nan
    return crossover_size(mechanism, bounds.d, alpha, bounds.l1)
