"""Figure 3, the referee: accuracy on clean held-out digits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import get_args

import pandas as pd

from replication.arrays import Fields, Named
from replication.papers.spread.digits import drawn, judged, learned_in
from replication.papers.spread.fig3.settings import Method, Score
from replication.randomness import Trial

COLUMNS = ["p_flip", "method", "iterations", "trial", "accuracy"]


def score(
    learned: Mapping[str, Sequence[Named]], fields: Fields, trials: Sequence[Trial], settings: Score
) -> pd.DataFrame:
    """One row a noise level, method, checkpoint and trial."""
    levels, rows = range(len(settings.p_flips)), []
    for trial in trials:
        test, found = drawn(fields, trial, settings)[1], learned_in(trial, learned)
        for method in get_args(Method):
            if ("weights", method, 0) not in found:
                continue
            right = judged(test, found, [(method, i) for i in levels])
            rows += [
                (settings.p_flips[i], method, count, trial.number, float(right[i, j]))
                for i, (j, count) in product(levels, enumerate(settings.iterations))
            ]
    return pd.DataFrame(rows, columns=COLUMNS).sort_values(COLUMNS[:4], ignore_index=True)
