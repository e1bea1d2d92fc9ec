"""Figure 1: how much each mechanism distorts the proportions of one set, and what it really guarantees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator

from replication.papers.class_ratio.fig1.settings import Point, Score
from replication.papers.class_ratio.mechanisms import MECHANISMS, public_minimum
from replication.papers.class_ratio.sets import mixture_counts
from replication.randomness import Trial
from unveil.errors import NoValidScale
from unveil.mechanisms.counts import SubsampleCounts
from unveil.mechanisms.dirichlet_draws import ScaledDirichlet
from unveil.mechanisms.published_counts import PublishedCounts
from unveil.types import Array


def score(trials: Sequence[Trial], settings: Score) -> pd.DataFrame:
    """One row a draw as in the paper (`draws` = 1), then as many that each average `companion_draws`, with a spread."""
    rows = []
    for common, point in _points(settings):
        counts = mixture_counts(point.classes, point.proportion, point.size)
        bound = public_minimum(counts, settings.public_minimum_share)
        for name in settings.mechanisms:
            mechanism = MECHANISMS[name](point.epsilon, point.delta, bound)
            drawn = product((1, settings.companion_draws), trials)
            rngs = [(draws, trial.rng_of(*common.values(), name, draws)) for draws, trial in drawn]
            found = _rows(counts, point.epsilon, mechanism, rngs)
            rows += [{**common, "mechanism": name, **row} for row in found]
    return pd.DataFrame(rows)


def _points(settings: Score) -> Iterator[tuple[dict[str, Any], Point]]:
    """The grid by panel and x: everything at its default but the one thing that the panel varies, or two of ours."""
    varied: dict[str, tuple[str, Sequence[float]]] = {
        "classes": ("classes", settings.classes),
        "proportions": ("proportion", settings.proportions),
        "epsilon": ("epsilon", settings.epsilons),
        "size": ("size", settings.sizes),
    }
    for panel, (key, values) in varied.items():
        for x in values:
            yield {"panel": panel, "x": x}, replace(settings.defaults, **{key: x})  # type: ignore[arg-type]
    for size, classes in product(settings.even_sizes, settings.even):
        point = replace(settings.defaults, classes=classes, size=size, proportion=1 / classes)
        yield {"panel": f"even_{size}", "x": classes}, point


def _rows(
    counts: Array, epsilon: float, mechanism: PublishedCounts, rngs: Sequence[tuple[int, Generator]]
) -> list[dict[str, Any]]:
    """All trials of one mechanism at one point, a number of draws each, or one row: it has no scale there."""
    try:
        scale = mechanism.scale(counts) if isinstance(mechanism, ScaledDirichlet) else np.nan
    except NoValidScale:
        empty = {"trial": pd.NA, "distortion": np.nan, "scale": np.nan, "status": "no_scale"}
        return [{**empty, "true_delta": np.nan, "draws": 0, "spread": np.nan}]
    known = {"scale": scale, "status": "ok", "true_delta": _true_delta(mechanism, counts, epsilon)}
    rows = []
    for number, (draws, rng) in enumerate(rngs):
        distortion, spread = _distortion(counts, mechanism, draws, rng)
        rows.append({"trial": number, "distortion": distortion, **known, "draws": draws, "spread": spread})
    return rows


def _true_delta(mechanism: PublishedCounts, counts: Array, epsilon: float) -> float:
    if isinstance(mechanism, SubsampleCounts):
        return mechanism.true_delta(counts, epsilon)
    return float(mechanism.true_delta(counts))


def _distortion(counts: Array, mechanism: PublishedCounts, draws: int, rng: Generator) -> tuple[float, float]:
    """L1 distance between released and true proportions: its mean, and the deviation of a draw if there are more."""
    released = mechanism.release(np.tile(counts, (draws, 1)), rng)
    distances = np.abs(released - counts / counts.sum()).sum(axis=1)
    return float(distances.mean()), float(distances.std(ddof=1)) if draws > 1 else np.nan
