"""What the scaled Dirichlet really guarantees: nominal against true δ as the smallest class grows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from replication.papers.class_ratio.guarantee.settings import Score
from unveil.errors import NoValidScale
from unveil.mechanisms.dirichlet_draws import ScaledDirichlet
from unveil.privacy.dirichlet import true_delta
from unveil.types import Array


def score(settings: Score) -> pd.DataFrame:
    """One row a rule and count vector: δ if σ were fixed, and with σ recomputed on every neighbour."""
    epsilon, delta, others = settings.epsilon, settings.delta, settings.classes - 1
    rules = {
        "paper": ScaledDirichlet(epsilon, delta, "paper"),
        "tight": ScaledDirichlet(epsilon, delta, "tight"),
        "public": ScaledDirichlet(epsilon, delta, "tight", minimum_count=settings.public_minimum),
    }
    rows = []
    for rule, mechanism in rules.items():
        for smallest in settings.smallest:
            counts = np.array([smallest] * others + [settings.size - smallest * others], dtype=float)
            shown = " ".join(f"{n:.0f}" for n in counts)
            demand = {"rule": rule, "counts": shown, "epsilon": epsilon, "delta": delta}
            rows.append({**demand, **_row(mechanism, counts), "smallest": smallest, "trial": pd.NA})
    return pd.DataFrame(rows)


def _row(mechanism: ScaledDirichlet, counts: Array) -> dict[str, Any]:
    """Scale and both deltas; without a scale nothing is published, which a neighbour may still give away."""
    try:
        scale = mechanism.scale(counts)
    except NoValidScale:
        scale = fixed = np.nan
    else:
        bound = mechanism.minimum_count or 0
        fixed = true_delta(counts, mechanism.epsilon, lambda _: scale, possible=lambda other: other.min() >= bound)
    return {"scale": scale, "true_delta_fixed": fixed, "true_delta_recomputed": mechanism.true_delta(counts)}
