"""Section 6.1, the referee: accuracy on the clean training images and on held-out ones."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import pandas as pd

from replication.arrays import Fields, Learned
from replication.papers.spread.digits import Case, judge_cases
from replication.papers.spread.gaussian.settings import Score
from replication.randomness import Trial

COLUMNS = [
    "sigma2", "method", "samples", "iterations", "trial", "train_accuracy", "test_accuracy", "theta_norm",
]  # fmt: skip


def score(learned: Learned, fields: Fields, trials: Sequence[Trial], settings: Score) -> pd.DataFrame:
    """One row a method, checkpoint and trial; clean training has σ² = 0 and no samples."""
    named: dict[Case, tuple[float, str, Any]] = {("clean",): (0.0, "clean", pd.NA)}
    for i, variance in enumerate(settings.variances):
        named["noisy", i] = variance, "noisy", pd.NA
        for labels, count in product(settings.labels, settings.samples):
            named["spread", i, labels, count] = variance, f"spread_{labels}", count
    stops = {("clean",): settings.clean_iterations}
    rows = [
        (*named[case], stops.get(case, settings.iterations)[checkpoint], trial, *measures)
        for trial, case, checkpoint, *measures, _ in judge_cases(learned, fields, trials, settings, list(named))
    ]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"samples": "Int64"})
