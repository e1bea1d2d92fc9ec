"""The crossover against n, the referee."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from replication.papers.crossover.judging import errors
from replication.randomness import Trial
from unveil.types import Arrays


def score(
    learned: Mapping[str, Sequence[Arrays]],
    fields: Mapping[str, Arrays],
    trials: Sequence[Trial],
    *,
    epsilons: Sequence[float],
    fractions: Sequence[float],
) -> pd.DataFrame:
    """One row an estimator, task, ε, n, trial and test set."""
    return errors(learned, fields, trials, epsilons, fractions)
