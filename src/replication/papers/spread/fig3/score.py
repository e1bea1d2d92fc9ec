"""Figure 3, the referee: accuracy on clean held-out digits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import get_args

import pandas as pd

from replication.arrays import Fields, Named
from replication.papers.spread.digits import judged
from replication.papers.spread.fig3.settings import Method, Protocol, Score
from replication.randomness import Trial

COLUMNS = ["p_flip", "method", "iterations", "trial", "accuracy"]
MORE = ["protocol", "ended"]


def score(
    learned: Mapping[str, Sequence[Named]], fields: Fields, trials: Sequence[Trial], settings: Score
) -> pd.DataFrame:
    """One row a noise level, method, checkpoint and trial; `ended`: after how many steps.

    What converged stands at the most iterations that it was allowed, however soon it ended.
    """
    stops: dict[str, tuple[int, ...]] = {"steps": settings.iterations, "converged": (settings.most,)}
    cases = list(product(get_args(Protocol), get_args(Method), range(len(settings.p_flips))))
    ends = {(trial.number, *name[1:]): int(array) for arm in learned.values() for trial in trials
            for name, array in arm[trial.number].items() if name[0] == "ended"}  # fmt: skip
    rows = [
        (settings.p_flips[level], method, stops[protocol][result.checkpoint], result.trial, result.test, protocol,
         ends[result.trial, protocol, method, level])
        for result in judged(learned, fields, trials, settings, cases)
        for protocol, method, level in [result.case]
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=COLUMNS + MORE).sort_values(COLUMNS[:4], ignore_index=True)
