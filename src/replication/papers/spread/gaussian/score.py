"""Section 6.1, the referee: accuracy on the clean training images and on held-out ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from replication.arrays import Fields, Named
from replication.papers.spread.digits import Case, drawn, judged, learned_in, lengths
from replication.papers.spread.gaussian.settings import Score
from replication.randomness import Trial

COLUMNS = [
    "sigma2", "method", "samples", "iterations", "trial", "train_accuracy", "test_accuracy", "theta_norm",
]  # fmt: skip


def score(
    learned: Mapping[str, Sequence[Named]], fields: Fields, trials: Sequence[Trial], settings: Score
) -> pd.DataFrame:
    """One row a method, checkpoint and trial; clean training has σ² = 0 and no samples."""
    named = _cases(settings)
    cases = [case for *_, case in named]
    rows: list[tuple[Any, ...]] = []
    for trial in trials:
        found = learned_in(trial, learned)
        right = [judged(part, found, cases) for part in drawn(fields, trial, settings)]
        results = np.stack([*right, lengths(found, cases)], axis=-1)
        rows += [
            (variance, method, count, steps, trial.number, *map(float, results[i, j]))
            for (i, (variance, method, count, _)), (j, steps) in product(
                enumerate(named), enumerate(settings.iterations)
            )
        ]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"samples": "Int64"})


def _cases(settings: Score) -> list[tuple[float, str, Any, Case]]:
    """What the columns say of every case that was learned."""
    cases: list[tuple[float, str, Any, Case]] = [(0.0, "clean", pd.NA, ("clean",))]
    for i, variance in enumerate(settings.variances):
        cases.append((variance, "noisy", pd.NA, ("noisy", i)))
        cases += [
            (variance, f"spread_{labels}", count, ("spread", i, labels, count))
            for labels, count in product(settings.labels, settings.samples)
        ]
    return cases
