"""Scores for and against every claim of the mean operator paper."""

from __future__ import annotations

import numpy as np
import pandas as pd
from tests.replication.judging.tables import Case, contest, table

TABLE_1 = ["logistic", "square", "matsushita", "absolute", "linear"]


def losses(bent: str = "hinge", residual: float = 1e-14, even: float = 1e-14) -> pd.DataFrame:
    rows = [
        {"loss": loss, "a": 1.0, "holds": loss != bent, "max_residual": residual, "even_residual": even}
        for loss in [*TABLE_1, "hinge"]
    ]
    return pd.DataFrame(rows)


def parts(gap: float = 0.0, odd: float = 1.0) -> pd.DataFrame:
    even = {"square": np.square, "absolute": np.abs}
    grid = table("even", lambda loss, x: even[loss](x), loss=list(even), x=[-2.0, -1.0, 0.0, 1.0, 2.0])
    slopes = grid["loss"].map({"square": odd, "absolute": 2 * odd})
    grid = grid.assign(odd=-slopes * grid["x"])
    return grid.assign(value=grid["even"] + grid["odd"] + gap)


def shifts(measured: float) -> pd.DataFrame:
    axes = {"theorem": 6, "loss": ["logistic", "square"], "d": [1, 10], "trial": range(4)}
    levels = {"stated": 1.0, "measured": measured}
    return table("value", lambda quantity, **_: levels[quantity], **axes, quantity=list(levels))


def deviations(failure: float) -> pd.DataFrame:
    names = ["failure_axis", "failure_diagonal", "failure_uniform"]
    return table("value", failure, theorem=10, d=[1, 10], quantity=names, loss="logistic", delta=0.05)


def levels(dataset: str, factor: float) -> pd.DataFrame:
    axes = {"dataset": dataset, "mechanism": "printed", "alpha": [0.1, 1.0], "trial": [0]}
    return table("true_alpha", lambda alpha, **_: factor * alpha, 0.0, **axes)


def errors(rate: float) -> pd.DataFrame:
    axes = {"dataset": "census", "mechanism": ["laplace", "gamma"], "m": [100, 1000, 10000], "trial": range(4)}
    return table("statistic_error", lambda m, **_: m**rate, 1e-9, **axes)


def cases() -> dict[str, Case]:
    found = {
        "theorem-3-table-1": Case(losses(), losses(bent="logistic", residual=0.3)),
        "table-1-even-terms": Case(losses(), losses(even=0.2)),
        "not-only-proper-losses": Case(losses(), losses().assign(holds=[True] * 3 + [False, True, True])),
        "figure-1-parts": Case(parts(), parts(gap=0.1)),
        "lemma-5-one-to-one": Case(parts(odd=0.0), parts().query("loss == 'square'")),
        "theorem-6": Case(shifts(0.5), shifts(1.5)),
        "theorem-10": Case(deviations(0.01), deviations(0.5)),
        "linear-rate": Case(errors(-1.0), errors(-0.5)),
    }
    for dataset in ("census", "mnist", "breast_cancer"):
        where = dataset.replace("_", "-")
        found[f"theorem-9-privacy-{where}"] = Case(levels(dataset, 1.0), levels(dataset, 3.0))
        axes = {"dataset": dataset, "method": "mean_map", "mechanism": "none", "bags": [2, 8], "trial": range(5)}
        found[f"mean-map-needs-homogeneity-{where}"] = contest(
            "accuracy", "bagging", {"homogeneous": 0.9, "sorted": 0.7}, "homogeneous", "sorted", **axes
        )
    return found
