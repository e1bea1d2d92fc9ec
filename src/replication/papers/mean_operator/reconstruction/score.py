"""The referee: the share of labels that was read back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import pandas as pd

from replication.arrays import Fields, Learned, Named
from replication.common.tasks import signs
from replication.papers.mean_operator.scoring import Row, frame, majority
from replication.randomness import Trial

COLUMNS = ["dataset", "m", "d", "alpha", "trial", "recovered"]
MORE = ["majority"]


def score(learned: Learned, fields: Fields, trials: Sequence[Trial]) -> pd.DataFrame:
    """One row an attack; `majority` is the share that guessing the commoner class would get right."""
    return frame(learned, trials, partial(_attacks, fields), COLUMNS + MORE)


def _attacks(fields: Fields, part: Named, trial: Trial) -> Iterator[Row]:
    about = {"dataset": part["dataset"].item(), "d": int(part["d"]), "trial": trial.number}
    labels = signs(part["dataset"].item(), fields)
    order = trial.public.permutation(len(labels))
    for m, guesses in zip(part["sizes"].tolist(), part["guesses"], strict=True):
        truth = labels[order[:m]]
        for alpha, guess in zip(part["alphas"].tolist(), guesses, strict=True):
            recovered = np.mean(guess[:m] == truth)
            yield {**about, "m": m, "alpha": alpha, "recovered": recovered, "majority": majority(truth)}
