"""Table 1: the data sets as this run uses them, counted from the prepared fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from replication.randomness import Trial
from unveil.errors import require
from unveil.types import Arrays


def score(
    learned: Mapping[str, Sequence[Arrays]],
    fields: Mapping[str, Arrays],
    trials: Sequence[Trial],
    *,
    grades: Mapping[str, str],
    n_train: Mapping[str, Any],
    n_test: Mapping[str, Any],
) -> pd.DataFrame:
    """One row a data set: its dimensions, the sizes of training and test sets, and what the data is."""
    rows = [_row(name, fields[name], n_train, n_test) for name in n_train]
    return pd.DataFrame(rows).assign(grade=[str(grades[name]) for name in n_train], trial=pd.NA)


def _row(name: str, arrays: Arrays, n_train: Mapping[str, Any], n_test: Mapping[str, Any]) -> dict[str, Any]:
    inputs = arrays["images"] if "images" in arrays else arrays["features"]
    labels = arrays["labels"]
    require(len(inputs) == len(labels), f"{name}: features and labels must have the same number of rows")
    return {
        "dataset": name,
        "features": int(np.prod(inputs.shape[1:])),
        "instances": len(labels),
        "classes": len(np.unique(labels)),
        "n_train": int(n_train[name]),
        "n_test": int(n_test[name]),
    }
