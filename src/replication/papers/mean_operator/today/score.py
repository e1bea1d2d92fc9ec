"""The referee: the error rate on held-out records, at the exact level of each release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import inf

import numpy as np
import pandas as pd

from replication.arrays import Fields, Learned, Named, under
from replication.papers.mean_operator.scoring import Row, frame, held_out
from replication.randomness import Trial

COLUMNS = ["dataset", "method", "unit", "epsilon", "delta", "n", "trial", "error", "measure"]
#: Whose privacy a level is: the label's, where not said otherwise.
UNITS = {"none": "none", "chance": "none", "objective": "record"}


def score(learned: Learned, fields: Fields, trials: Sequence[Trial]) -> pd.DataFrame:
    """One row a model, and one a trial for guessing the commoner class."""
    return frame(learned, trials, partial(_models, fields), COLUMNS)


def _models(fields: Fields, part: Named, trial: Trial) -> Iterator[Row]:
    dataset = part["dataset"].item()
    test, truth, base_rate = held_out(dataset, fields, trial)
    about = {"dataset": dataset, "delta": 0.0, "n": int(part["n"]), "trial": trial.number, "measure": "error rate"}
    yield {**about, "method": "chance", "unit": "none", "epsilon": inf, "error": 1 - base_rate}
    for name, thetas in under(part, "theta").items():
        levels = [inf] if name == "none" else part["epsilons"].tolist()
        errors = np.mean((test @ thetas.T > 0) != (truth > 0)[:, None], axis=0)
        for epsilon, error in zip(levels, errors.tolist(), strict=True):
            yield {**about, "method": name, "unit": UNITS.get(str(name), "label"), "epsilon": epsilon, "error": error}
