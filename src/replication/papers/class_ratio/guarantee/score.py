"""What the scaled Dirichlet really guarantees: nominal against true δ as the smallest class grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from replication.randomness import Trial
from unveil.errors import NoValidScale
from unveil.mechanisms.counts import ScaledDirichlet
from unveil.privacy.dirichlet import true_delta
from unveil.types import Array, Arrays


def score(
    learned: Mapping[str, Sequence[Arrays]],
    fields: Mapping[str, Arrays],
    trials: Sequence[Trial],
    *,
    classes: int,
    size: int,
    smallest: Sequence[int],
    public_minimum: int,
    epsilon: float,
    delta: float,
) -> pd.DataFrame:
    """One row a rule and count vector: δ if σ were fixed, and with σ recomputed on every neighbour."""
    rules = {
        "paper": ScaledDirichlet(epsilon, delta, "paper"),
        "tight": ScaledDirichlet(epsilon, delta, "tight"),
        "public": ScaledDirichlet(epsilon, delta, "tight", minimum_count=public_minimum),
    }
    rows = []
    for rule, mechanism in rules.items():
        for count in smallest:
            counts = np.array([count] * (classes - 1) + [size - count * (classes - 1)], dtype=float)
            demand = {
                "rule": rule,
                "counts": " ".join(f"{n:.0f}" for n in counts),
                "epsilon": epsilon,
                "delta": delta,
            }
            rows.append({**demand, **_row(mechanism, counts), "smallest": count, "trial": pd.NA})
    return pd.DataFrame(rows)


def _row(mechanism: ScaledDirichlet, counts: Array) -> dict[str, Any]:
    """Scale and both deltas; without a scale nothing is published, which a neighbour may still give away."""
    try:
        scale = mechanism.scale(counts)
    except NoValidScale:
        return {
            "scale": np.nan,
            "true_delta_fixed": np.nan,
            "true_delta_recomputed": mechanism.true_delta(counts),
        }
    bound = mechanism.minimum_count or 0
    fixed = true_delta(
        counts, mechanism.epsilon, lambda _: scale, possible=lambda other: other.min() >= bound
    )
    return {"scale": scale, "true_delta_fixed": fixed, "true_delta_recomputed": mechanism.true_delta(counts)}
