"""Figure 1: how much each mechanism distorts the proportions of one set, and what it really guarantees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.random import Generator

from replication.papers.class_ratio.sets import mixture_counts
from replication.randomness import Trial
from unveil.errors import NoValidScale, require
from unveil.mechanisms.counts import (
    CountMechanism,
    GaussianCounts,
    LaplaceCounts,
    LaplacePrior,
    ScaledDirichlet,
    SubsampleCounts,
)
from unveil.types import Array, Arrays


class Setting(NamedTuple):
    """One point of a panel: counts of the set, the demand, and where it is plotted."""

    panel: str
    x: float
    counts: Array
    epsilon: float
    delta: float


def score(
    learned: Mapping[str, Sequence[Arrays]],
    fields: Mapping[str, Arrays],
    trials: Sequence[Trial],
    *,
    defaults: Mapping[str, Any],
    classes: Sequence[int],
    proportions: Sequence[float],
    epsilons: Sequence[float],
    public_minimum_share: float,
    companion_draws: int,
) -> pd.DataFrame:
    """One row a draw as in the paper (`draws` = 1), then as many rows that each average `companion_draws`."""
    rows = [
        row
        for setting in _settings(defaults, classes, proportions, epsilons)
        for name, mechanism in _mechanisms(setting, public_minimum_share).items()
        for row in _rows(setting, name, mechanism, trials, companion_draws)
    ]
    return pd.DataFrame(rows)


def _settings(
    defaults: Mapping[str, Any],
    classes: Sequence[int],
    proportions: Sequence[float],
    epsilons: Sequence[float],
) -> Iterator[Setting]:
    """The grid: everything at its default but the one thing that the panel varies."""
    keys = ("classes", "size", "proportion", "epsilon", "delta")
    require(set(defaults) == set(keys), f"defaults: must name {', '.join(keys)}")
    c, size, rho, epsilon, delta = (defaults[key] for key in keys)
    for other in classes:
        yield Setting("classes", other, mixture_counts(other, rho, size), epsilon, delta)
    for share in proportions:
        yield Setting("proportions", share, mixture_counts(c, share, size), epsilon, delta)
    for strength in epsilons:
        yield Setting("epsilon", strength, mixture_counts(c, rho, size), strength, delta)


def _mechanisms(setting: Setting, public_minimum_share: float) -> dict[str, CountMechanism]:
    # ASSUME: what is public about the smallest class is a bound somewhat below it.
    bound = max(int(public_minimum_share * setting.counts.min()), 1)
    epsilon, delta = setting.epsilon, setting.delta
    return {
        "laplace": LaplaceCounts(epsilon),
        "gaussian": GaussianCounts(epsilon, delta),
        "gaussian_analytic": GaussianCounts(epsilon, delta, "analytic"),
        "laplace_prior": LaplacePrior(epsilon, delta),
        "scaled_dirichlet": ScaledDirichlet(epsilon, delta, "paper"),
        "scaled_dirichlet_tight": ScaledDirichlet(epsilon, delta, "tight"),
        "scaled_dirichlet_public": ScaledDirichlet(epsilon, delta, "tight", minimum_count=bound),
        "subsample": SubsampleCounts(delta),
    }


def _rows(
    setting: Setting, name: str, mechanism: CountMechanism, trials: Sequence[Trial], companion_draws: int
) -> list[dict[str, Any]]:
    """All trials of one mechanism at one point, or one row that says that it has no scale there."""
    common = {"panel": setting.panel, "x": setting.x, "mechanism": name}
    try:
        scale = mechanism.scale(setting.counts) if isinstance(mechanism, ScaledDirichlet) else np.nan
    except NoValidScale:
        empty = {"trial": pd.NA, "distortion": np.nan, "scale": np.nan, "status": "no_scale"}
        return [{**common, **empty, "true_delta": np.nan, "draws": 0}]
    delta = _true_delta(mechanism, setting)
    known = {"scale": scale, "status": "ok", "true_delta": delta}
    # Each mechanism and point continues the stream of its trial, so that rows depend on the grid but not on jobs.
    single = [_distortion(setting.counts, mechanism, 1, trial.rng) for trial in trials]
    many = [_distortion(setting.counts, mechanism, companion_draws, trial.rng) for trial in trials]
    values = [*((value, 1) for value in single), *((value, companion_draws) for value in many)]
    return [
        {**common, "trial": number, "distortion": value, **known, "draws": draws}
        for number, (value, draws) in enumerate(values)
    ]


def _true_delta(mechanism: CountMechanism, setting: Setting) -> float:
    if isinstance(mechanism, SubsampleCounts):
        return mechanism.true_delta(setting.counts, setting.epsilon)
    return float(mechanism.true_delta(setting.counts))  # type: ignore[attr-defined]


def _distortion(counts: Array, mechanism: CountMechanism, draws: int, rng: Generator) -> float:
    """Mean L1 distance between released and true proportions."""
    released = mechanism.release(np.tile(counts, (draws, 1)), rng)
    return float(np.abs(released - counts / counts.sum()).sum(axis=1).mean())
