"""The referee: the share of labels that was read back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from replication.papers.mean_operator.tasks import label_signs
from replication.randomness import Trial
from unveil.types import Arrays

COLUMNS = ["dataset", "m", "d", "alpha", "trial", "recovered"]
MORE = ["majority"]


def score(
    learned: Mapping[str, Sequence[Arrays]],
    fields: Mapping[str, Arrays],
    trials: Sequence[Trial],
) -> pd.DataFrame:
    """One row an attack; `majority` is the share that guessing the commoner class would get right."""
    rows = []
    for parts in learned.values():
        for trial, part in zip(trials, parts, strict=False):
            dataset, everybody = str(part["dataset"]), part["everybody"]
            order = trial.public.permutation(len(everybody))
            for i, m in enumerate(part["sizes"].tolist()):
                truth = label_signs(dataset, fields, everybody[order[:m]])
                majority = max(np.mean(truth > 0), np.mean(truth < 0))
                for alpha, guess in zip(part["alphas"].tolist(), part["guesses"][i], strict=True):
                    about = {
                        "dataset": dataset,
                        "m": m,
                        "d": int(part["d"]),
                        "alpha": alpha,
                        "trial": trial.number,
                    }
                    rows.append({**about, "recovered": np.mean(guess[:m] == truth), "majority": majority})
    return pd.DataFrame(rows)[COLUMNS + MORE]
