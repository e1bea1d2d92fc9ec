"""The referee: the share of test tokens with a wrong tag."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from replication.arrays import Fields, Learned
from replication.common.today.rows import tabulate
from replication.papers.linear_moments.today_tags.settings import Asked
from replication.randomness import Trial


def score(learned: Learned, fields: Fields, trials: Sequence[Trial], settings: Asked) -> pd.DataFrame:
    """A row a method and window, or for supervised training a number of tagged tokens, which is then `n`."""
    ((dataset, corpus),) = fields.items()
    lengths = np.diff(corpus["sentences"])
    test = np.repeat(corpus["split"] == 1, lengths)
    words, tags = corpus["tokens"][test], corpus["tags"][test]
    rows, windows = [], []
    for arm in learned.values():
        for trial, arrays in zip(trials, arm, strict=True):
            for key, found in arrays.items():
                if key[0] == "seconds":
                    continue
                method, number = str(key[0]), int(key[1])
                n = number if method == "supervised" else settings.sentences
                rows.append({"method": method, "n": n, "trial": trial.number, "error": np.mean(found[words] != tags)})
                windows.append(0 if method == "supervised" else number)
    about = {"dataset": dataset, "unit": "none", "epsilon": np.inf, "measure": "share of wrong tags"}
    return tabulate(rows, **about).assign(window=windows)
