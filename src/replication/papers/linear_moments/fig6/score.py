"""Figure 6, the referee: uncentred R² on the test part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from replication.arrays import Fields, Named, under
from replication.papers.linear_moments.fig6.design import CENTRED, Design, number_of_products, rows_used, variants
from replication.papers.linear_moments.fig6.settings import Learn, Mechanism, Protocol
from replication.randomness import Trial
from unveil.types import Array, Floats

CONTRACT = ["dataset", "estimator", "alpha", "delta_bar", "trial", "r2", "n_train", "centred", "panel"]
COLUMNS = [*CONTRACT, "level"]
Row: TypeAlias = dict[str, Any]


def score(
    learned: Mapping[str, Sequence[Named]], fields: Fields, trials: Sequence[Trial], settings: Learn
) -> pd.DataFrame:
    """One row an estimator, level and trial; `level` is α, or α/δ̄ for per-value release."""
    rows: list[Row] = []
    for dataset, protocol in settings.protocols.items():
        for trial in trials:
            arrays = {name: array for arm in learned.values() for name, array in arm[trial.number].items()}
            for variant, design in variants(fields[dataset], protocol.design, trial.public).items():
                weights = under(arrays, dataset, variant)
                label = {"dataset": dataset, "trial": trial.number, "centred": CENTRED[variant]}
                scored = [
                    *_at_levels(design, weights["levels"], protocol, settings),
                    *_growing(design, weights["growth"], protocol, settings),
                    *_baselines(design, weights["clear"]),
                ]
                rows += [{"n_train": len(design.train), **label, **row} for row in scored]
    return pd.DataFrame(rows, columns=COLUMNS)


def r_squared(X: Array, y: Array, weights: Floats) -> Floats:
    """1 − ‖Xw − y‖²/‖y‖² for each row of `weights` (the paper's footnote prints one minus this)."""
    residuals = X @ weights.T.astype(X.dtype) - y[:, None]
    left, whole = (residuals**2).sum(axis=0, dtype=np.float64), (y**2).sum(dtype=np.float64)
    return np.asarray(1 - left / whole)


#: α and δ̄ of a level, by the number of features.
LEVELS: Mapping[Mechanism, Callable[[float, int], Row]] = {
    "coordinate": lambda level, _: {"alpha": level, "delta_bar": np.nan},
    "per_value": lambda level, d: {"alpha": level * number_of_products(d), "delta_bar": float(number_of_products(d))},
}


def _label(design: Design, protocol: Protocol, level: float) -> Row:
    return {**LEVELS[protocol.mechanism](level, design.train.shape[1]), "level": level}


def _at_levels(design: Design, weights: Floats, protocol: Protocol, settings: Learn) -> Iterable[Row]:
    for level, values in zip(protocol.levels, weights, strict=True):
        scores = dict(zip(settings.solvers, r_squared(design.test, design.test_target, values), strict=True))
        label = {**_label(design, protocol, level), "panel": "alpha"}
        yield from ({**label, "estimator": f"moments_{solver}", "r2": r2} for solver, r2 in scores.items())
        if np.isinf(level):
            # ASSUME: the floor that binarisation leaves is shown for the primary solver.
            yield {**label, "estimator": "binarised", "r2": scores[settings.solvers[0]]}


def _growing(design: Design, weights: Floats, protocol: Protocol, settings: Learn) -> Iterable[Row]:
    label = {**_label(design, protocol, protocol.growth_level), "panel": "n"}
    for share, values in zip(settings.shares, weights, strict=True):
        n = rows_used(len(design.train), share)
        found = r_squared(design.test, design.test_target, values)
        for solver, r2 in zip(settings.solvers, found, strict=True):
            yield {**label, "n_train": n, "estimator": f"moments_{solver}", "r2": r2}


def _baselines(design: Design, weights: Floats) -> Iterable[Row]:
    """Least squares, and the mean of the training targets whatever the features."""
    fitted = r_squared(design.test, design.test_target, weights[None])[0]
    ones = np.ones((len(design.test), 1), dtype=design.test.dtype)
    level = np.array([[design.train_target.mean(dtype=np.float64)]])
    constant = r_squared(ones, design.test_target, level)[0]
    for estimator, r2 in (("least_squares", fitted), ("constant", constant)):
        yield {"panel": "alpha", "estimator": estimator, "r2": r2}
