"""Figure 3, the referee: accuracy on clean held-out digits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import get_args

import pandas as pd

from replication.arrays import Fields, Named
from replication.papers.spread.digits import judged
from replication.papers.spread.fig3.settings import Method, Score
from replication.randomness import Trial

COLUMNS = ["p_flip", "method", "iterations", "trial", "accuracy"]


def score(
    learned: Mapping[str, Sequence[Named]], fields: Fields, trials: Sequence[Trial], settings: Score
) -> pd.DataFrame:
    """One row a noise level, method, checkpoint and trial."""
    cases = list(product(get_args(Method), range(len(settings.p_flips))))
    rows = [
        (settings.p_flips[level], method, settings.iterations[result.checkpoint], result.trial, result.test)
        for result in judged(learned, fields, trials, settings, cases)
        for method, level in [result.case]
    ]
    return pd.DataFrame(rows, columns=COLUMNS).sort_values(COLUMNS[:4], ignore_index=True)
