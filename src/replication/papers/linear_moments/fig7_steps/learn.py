"""The step-size study, the learner: figure 7's taggers under every optimiser, rate and effort in step 1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from replication.papers.linear_moments.fig7.learn import TAGGERS, train, window_order
from replication.randomness import Trial
from unveil.estimators.counts.tagger import CountTagger
from unveil.types import Arrays


def learn(
    released: Mapping[str, Arrays],
    public: Mapping[str, Arrays],
    trial: Trial,
    *,
    estimators: Mapping[str, Sequence[int]],
    rates: Mapping[str, Sequence[float]],
    step1_limits: Sequence[int],
    evaluate_at: Sequence[float],
    ridge: float,
    step1_tolerance: float,
    beam: int,
    budget: int,
) -> Arrays:
    """Train all combinations; `step1_limits` caps the passes of the moments' first step."""
    (regions,) = released.values()
    ((corpus, text),) = public.items()
    common: dict[str, Any] = {
        "ridge": ridge,
        "step1_tolerance": step1_tolerance,
        "beam": beam,
        "budget": budget,
    }
    runs: list[dict[str, Any]] = []
    for run in combinations(estimators, rates, step1_limits):
        tagger = CountTagger(
            **common,
            **TAGGERS[run["estimator"]],
            optimizer=run["optimizer"],
            rate=run["rate"],
            step1_passes=run["limit"],
            random_state=window_order(trial, run["window"]),
        )
        train(tagger, regions, text, run["window"], evaluate_at)
        runs.append({**run, "step1_passes": tagger.step1_passes_, "tags": tagger.snapshots_})
    columns = {name: np.array([run[name] for run in runs]) for name in runs[0]}
    return {"corpus": np.array(corpus), "passes": np.array(evaluate_at, dtype=float), **columns}


def combinations(
    estimators: Mapping[str, Sequence[int]], rates: Mapping[str, Sequence[float]], step1_limits: Sequence[int]
) -> Iterator[dict[str, Any]]:
    """Every run of the study; only the moments have a first step to limit."""
    for estimator, windows in estimators.items():
        limits = step1_limits if estimator.startswith("moments") else [max(step1_limits)]
        for window in windows:
            for optimizer, values in rates.items():
                for rate in values:
                    for limit in limits:
                        yield {
                            "estimator": estimator,
                            "window": window,
                            "optimizer": optimizer,
                            "rate": float(rate),
                            "limit": limit,
                        }
