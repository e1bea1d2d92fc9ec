"""Figure 6, the referee: uncentred R² on the test part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from replication.papers.linear_moments.fig6.design import (
    Design,
    number_of_products,
    rows_used,
    scaled_design,
    variants,
)
from replication.randomness import Trial
from unveil.types import Array, Arrays, Floats

COLUMNS = [
    "dataset",
    "estimator",
    "alpha",
    "delta_bar",
    "trial",
    "r2",
    "n_train",
    "centred",
    "panel",
    "level",
]
Row: TypeAlias = dict[str, Any]


def score(
    learned: Mapping[str, Sequence[Arrays]],
    fields: Mapping[str, Arrays],
    trials: Sequence[Trial],
    *,
    protocols: Mapping[str, Any],
    solvers: Sequence[str],
    shares: Sequence[float],
) -> pd.DataFrame:
    """One row an estimator, level and trial; `level` is α, or α/δ̄ for per-value release."""
    rows: list[Row] = []
    for dataset, protocol in protocols.items():
        for trial in trials:
            arrays = {name: array for arm in learned.values() for name, array in arm[trial.number].items()}
            design = scaled_design(dataset, fields[dataset], trial.public, protocol["every"])
            for is_centred, variant in variants(design).items():
                prefix = f"{dataset}.{is_centred}"
                label = {"dataset": dataset, "trial": trial.number, "centred": is_centred}
                scored = [
                    *_at_levels(variant, arrays[f"{prefix}.levels"], protocol, solvers),
                    *_growing(variant, arrays[f"{prefix}.growth"], protocol, solvers, shares),
                    *_baselines(variant, arrays[f"{prefix}.clear"]),
                ]
                rows += [{"n_train": len(variant.train), **label, **row} for row in scored]
    return pd.DataFrame(rows, columns=COLUMNS)


def r_squared(X: Array, y: Array, weights: Floats) -> Floats:
    """1 − ‖Xw − y‖²/‖y‖² for each row of `weights` (the paper's footnote prints one minus this)."""
    residuals = X @ weights.T.astype(X.dtype) - y[:, None]
    left, whole = (residuals**2).sum(axis=0, dtype=np.float64), (y**2).sum(dtype=np.float64)
    return np.asarray(1 - left / whole)


def _label(design: Design, protocol: Mapping[str, Any], level: float) -> Row:
    if protocol["mechanism"] == "coordinate":
        return {"alpha": level, "delta_bar": np.nan, "level": level}
    delta_bar = number_of_products(design.train.shape[1])
    return {"alpha": level * delta_bar, "delta_bar": float(delta_bar), "level": level}


def _at_levels(
    design: Design, weights: Floats, protocol: Mapping[str, Any], solvers: Sequence[str]
) -> Iterable[Row]:
    for level, values in zip(protocol["levels"], weights, strict=True):
        scores = dict(zip(solvers, r_squared(design.test, design.test_target, values), strict=True))
        label = {**_label(design, protocol, level), "panel": "alpha"}
        yield from ({**label, "estimator": f"moments_{solver}", "r2": r2} for solver, r2 in scores.items())
        if np.isinf(level):
            # ASSUME: the floor that binarisation leaves is shown for the primary solver.
            yield {**label, "estimator": "binarised", "r2": scores[solvers[0]]}


def _growing(
    design: Design,
    weights: Floats,
    protocol: Mapping[str, Any],
    solvers: Sequence[str],
    shares: Sequence[float],
) -> Iterable[Row]:
    label = {**_label(design, protocol, protocol["growth_level"]), "panel": "n"}
    for share, values in zip(shares, weights, strict=True):
        n = rows_used(len(design.train), share)
        for solver, r2 in zip(solvers, r_squared(design.test, design.test_target, values), strict=True):
            yield {**label, "n_train": n, "estimator": f"moments_{solver}", "r2": r2}


def _baselines(design: Design, weights: Floats) -> Iterable[Row]:
    """Least squares, and the mean of the training targets whatever the features."""
    fitted = r_squared(design.test, design.test_target, weights[None])[0]
    ones = np.ones((len(design.test), 1), dtype=design.test.dtype)
    level = np.array([[design.train_target.mean(dtype=np.float64)]])
    constant = r_squared(ones, design.test_target, level)[0]
    for estimator, r2 in (("least_squares", fitted), ("constant", constant)):
        yield {"panel": "alpha", "estimator": estimator, "r2": r2}
