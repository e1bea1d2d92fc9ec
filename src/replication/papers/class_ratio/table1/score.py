"""Table 1: the data sets as this run uses them, counted from the prepared fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

import numpy as np
import pandas as pd

from replication.arrays import Fields
from replication.papers.class_ratio.sets import inputs_of
from replication.papers.class_ratio.table1.settings import Score
from unveil.errors import require


def score(fields: Fields, settings: Score, grades: Mapping[str, str]) -> pd.DataFrame:
    """One row a data set: its dimensions, the sizes of its sets, what the data is, and the paper's row."""
    rows = []
    for name, size in settings.sets.items():
        inputs, labels = inputs_of(fields[name]), fields[name]["labels"]
        require(len(inputs) == len(labels), f"{name}: features and labels must have the same number of rows")
        rows.append(
            {
                "dataset": name,
                "features": int(np.prod(inputs.shape[1:])),
                "instances": len(labels),
                "classes": len(np.unique(labels)),
                "n_train": size.train,
                "n_test": size.test,
                "grade": grades[name],
                **{f"printed_{key}": value for key, value in asdict(size.printed).items()},
            }
        )
    return pd.DataFrame(rows).assign(trial=pd.NA)
