"""Scores for and against every claim of the linear moments paper."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from tests.replication.judging.tables import Case, contest, swapped, table

EPSILONS = [0.25, 0.5, 0.75, 1.0]


def efficiency(power: dict[str, float]) -> pd.DataFrame:
    axes = {"signal": list(power), "epsilon": EPSILONS, "quantity": "efficiency", "source": "exact"}
    return table("value", lambda epsilon, signal, **_: epsilon ** power[signal], **axes).assign(coordinate=np.nan)


def variances(larger: str) -> pd.DataFrame:
    def mean(epsilon: float, quantity: str, **_: object) -> float:
        return 2.0 - (epsilon if quantity != larger else epsilon / 2)

    axes = {"signal": ["weak", "strong"], "epsilon": EPSILONS, "quantity": ["var_marginal", "var_moments"]}
    return table("value", mean, **axes, source="exact", coordinate=[0, 1])


def simulated(bias: float) -> pd.DataFrame:
    exact = efficiency({"weak": 1.0, "strong": 2.0})
    drawn = exact.assign(source="monte_carlo", value=exact["value"] * (1 + bias))
    return pd.concat([exact, drawn.assign(low=drawn["value"] * 0.99, high=drawn["value"] * 1.01)])


def curves(bend: float) -> pd.DataFrame:
    grid = table("log_marginal", lambda theta, **_: bend * theta**2, o=[1, 2], theta=[-1.0, 0.0, 1.0, 2.0])
    return grid.assign(kind=None)


def trap(lost: float = 0.1, gap: float = 0.0, misled: float = 0.5) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    for case in ("one", "two"):
        rows += [
            {"case": case, "method": "em", "start": -1.0, "theta": 3.0, "objective": -1.0 - lost},
            {"case": case, "method": "em", "start": 1.0, "theta": 1.0, "objective": -1.0},
            {"case": case, "method": "marginal", "theta": 1.0, "objective": -1.0},
            {"case": case, "method": "moments", "theta": 1.0 + gap, "objective": -1.0},
        ]
    rows += [
        {"case": "misspecified", "method": "moments", "theta": 1.0},
        {"case": "misspecified", "method": "marginal", "theta": 1.0 + misled},
    ]
    return pd.DataFrame(rows).assign(n=np.inf, trial=None)


def regression(dataset: str, private: float, centred: bool) -> pd.DataFrame:
    axes = {"dataset": dataset, "estimator": "moments_truncated", "alpha": [1.0, 10.0, np.inf], "trial": range(6)}
    levels = table("r2", lambda alpha, **_: 0.9 if np.isinf(alpha) else private, **axes)
    clear = table("r2", 0.9, dataset=dataset, estimator="least_squares", trial=range(6))
    return pd.concat([levels, clear], ignore_index=True).assign(panel="alpha", centred=centred)


def traces(delta_bar: float, cheaper: str) -> pd.DataFrame:
    axes = {"alpha": [0.1, 1.0], "scheme": ["coordinate", "per_value"], "form": "exact"}
    costs = table("trace", lambda scheme, **_: 1.0 if scheme == cheaper else 2.0, **axes)
    return costs.assign(d=100, delta_bar=delta_bar, mean_norm=delta_bar)


def tagging(corpus: str, ahead: str, behind: str, windows: list[int], passes: Iterable[float]) -> Case:
    axes = {"corpus": corpus, "window": windows, "passes": list(passes), "split": "test", "trial": range(4)}
    return contest("accuracy", "estimator", {ahead: 0.9, behind: 0.8}, ahead, behind, **axes)


def overtaking(corpus: str) -> Case:
    def mean(estimator: str, passes: float, **_: object) -> float:
        return 0.8 + 0.01 * (passes if estimator == "marginal_beam" else 5)

    axes = {"estimator": ["marginal_beam", "moments"], "window": [1, 2, 5, 10, 20, 0], "passes": [1.0, 10.0]}
    holds = table("accuracy", mean, corpus=corpus, **axes, split="test", trial=range(4))
    return Case(holds, swapped(holds, "estimator", "marginal_beam", "moments"))


def inference(states: float, distance: float) -> pd.DataFrame:
    axes = {"window": [1, 5], "passes": [0.5, 1.0], "method": ["beam", "exact"], "states_max": states}
    return table("total_variation", distance, **axes)


def cases() -> dict[str, Case]:
    falling = efficiency({"weak": 1.0, "strong": 2.0})
    found = {
        "efficiency-falls-with-ε": Case(falling, efficiency({"weak": -1.0, "strong": -2.0})),
        "strong-signals-cost-efficiency": Case(falling, efficiency({"weak": 2.0, "strong": 1.0})),
        "marginal-never-worse": Case(variances("var_moments"), variances("var_marginal")),
        "variance-formulas": Case(simulated(0.05), simulated(0.5)),
        "marginal-not-concave": Case(curves(1.0), curves(-1.0)),
        "EM-ends-in-local-maxima": Case(trap(), trap(lost=0.0)),
        "moments-avoid-local-maxima": Case(trap(), trap(gap=0.1)),
        "misspecified-limits-differ": Case(trap(), trap(misled=0.0)),
        "coordinate-release-if-dense": Case(traces(100.0, "coordinate"), traces(100.0, "per_value")),
        "per-value-release-if-sparse": Case(traces(1.0, "per_value"), traces(1.0, "coordinate")),
        "exact-inference-intractable": Case(inference(1e9, 0.0), inference(1e5, 0.0)),
        "beam-accurate-in-small-regions": Case(inference(10, 0.01), inference(10, 0.2)),
    }
    ends = product(("housing", "songs"), ("", "-against-ols", "-centred"))
    for dataset, end in (*ends, ("songs_subset", "")):
        good, bad = (regression(dataset, private, end == "-centred") for private in (0.89, 0.7))
        found[f"moderate-α-{dataset.replace('_', '-')}{end}"] = Case(good, bad)
    small, early = [0.5, 1.0, 10.0], [0.5, 1.0, 2.0, 3.0]
    for corpus in ("treebank", "ewt"):
        found |= {
            f"small-regions-marginal-{corpus}": tagging(corpus, "marginal_beam", "moments", [1, 2, 5], small),
            f"large-regions-moments-early-{corpus}": tagging(corpus, "moments", "marginal_beam", [10, 20, 0], early),
            f"large-regions-beats-exact-{corpus}": tagging(corpus, "moments", "marginal_exact", [10, 20], early),
            f"marginal-overtakes-{corpus}": overtaking(corpus),
        }
    return found
