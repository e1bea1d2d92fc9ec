"""The bias of few importance samples, the referee: accuracy on clean digits and the length of θ."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pandas as pd

from replication.arrays import Fields, Learned
from replication.papers.spread.digits import judge_cases
from replication.papers.spread.samples.settings import Score
from replication.randomness import Trial

COLUMNS = ["p_flip", "method", "samples", "labels", "trial", "accuracy", "theta_norm"]


def score(learned: Learned, fields: Fields, trials: Sequence[Trial], settings: Score) -> pd.DataFrame:
    """One row a noise level, level of sampling, number of samples, kind of labels and trial."""
    cases = [
        (level, *case)
        for level, samples in settings.levels.items()
        for case in product(range(len(settings.p_flips)), settings.labels, samples)
    ]
    rows = [
        (settings.p_flips[i], f"spread_flat_{level}", count, labels, result.trial, result.test, result.norm)
        for result in judge_cases(learned, fields, trials, settings, cases)
        for level, i, labels, count in [result.case]
    ]
    return pd.DataFrame(rows, columns=COLUMNS).sort_values(COLUMNS[:5], ignore_index=True)
