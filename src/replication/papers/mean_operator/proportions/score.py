"""The referee: accuracy on held-out records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from replication.papers.mean_operator.tasks import PublicFeatures, is_test, label_signs
from replication.randomness import Trial
from unveil.types import Arrays

COLUMNS = ["dataset", "bagging", "bags", "method", "mechanism", "alpha", "trial", "accuracy"]
MORE = ["base_rate"]
PUBLIC = PublicFeatures()

Row: TypeAlias = dict[str, Any]


def score(
    learned: Mapping[str, Sequence[Arrays]],
    fields: Mapping[str, Arrays],
    trials: Sequence[Trial],
) -> pd.DataFrame:
    """One row a model; models learnt from the mean operator itself have the bagging `none` and no bags."""
    rows: list[Row] = []
    for parts in learned.values():
        for trial, part in zip(trials, parts, strict=False):
            rows += _trial_rows(part, fields, trial)
    return pd.DataFrame(rows)[COLUMNS + MORE]


def _trial_rows(part: Arrays, fields: Mapping[str, Arrays], trial: Trial) -> list[Row]:
    dataset, everybody = str(part["dataset"]), part["everybody"]
    features = PUBLIC.of(dataset, fields, everybody)
    held_out = is_test(dataset, fields, everybody, trial)
    test, positive = features[held_out], label_signs(dataset, fields, everybody[held_out]) > 0
    about = {
        "dataset": dataset,
        "trial": trial.number,
        "base_rate": max(np.mean(positive), np.mean(~positive)),
    }
    rows: list[Row] = []
    for name in (name for name in part if "/" in name):
        method, bagging, count = name.split("/")
        accuracies = np.mean((test @ part[name].T > 0) == positive[:, None], axis=0)
        for alpha, accuracy in zip([inf, *part["alphas"].tolist()], accuracies, strict=True):
            label = {"method": method, "bagging": bagging, "bags": int(count), "alpha": alpha}
            mechanism = "none" if alpha == inf else "laplace"
            rows.append({**about, **label, "mechanism": mechanism, "accuracy": accuracy})
    return rows
