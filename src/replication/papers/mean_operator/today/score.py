"""The referee: the share of wrong labels on held-out records, at the exact level of each release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

import numpy as np
import pandas as pd

from replication.arrays import Fields, Learned, Named, under
from replication.common.today.rows import tabulate
from replication.papers.mean_operator.scoring import Row, held_out
from replication.randomness import Trial

#: Whose privacy a level is: the label's, where not said otherwise.
UNITS = {"none": "none", "chance": "none", "objective": "record"}


def score(learned: Learned, fields: Fields, trials: Sequence[Trial]) -> pd.DataFrame:
    """One row a model, and one a trial for guessing the commoner class."""
    parts = ((part, trial) for arm in learned.values() for trial, part in zip(trials, arm, strict=False))
    rows = [row for part, trial in parts for row in _models(fields, part, trial)]
    return tabulate(
        ({"unit": UNITS.get(row["method"], "label"), **row} for row in rows), measure="share of wrong labels"
    )


def _models(fields: Fields, part: Named, trial: Trial) -> Iterator[Row]:
    dataset = part["dataset"].item()
    test, truth, base_rate = held_out(dataset, fields, trial)
    about = {"dataset": dataset, "n": int(part["n"]), "trial": trial.number}
    yield {**about, "method": "chance", "epsilon": inf, "error": 1 - base_rate}
    for name, thetas in under(part, "theta").items():
        levels = [inf] if name == "none" else part["epsilons"].tolist()
        errors = np.mean((test @ thetas.T > 0) != (truth > 0)[:, None], axis=0)
        for epsilon, error in zip(levels, errors.tolist(), strict=True):
            yield {**about, "method": str(name), "epsilon": epsilon, "error": error}
