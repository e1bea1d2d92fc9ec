"""Tabulate what one pass of each estimator takes, and what its first step takes before."""

import numpy as np
import pandas as pd

from replication.palette import METHODS
from replication.papers.linear_moments.fig7.draw import in_order, row_name


def table(scores: pd.DataFrame) -> pd.DataFrame:
    """Millions of numbers changed, means over trials: a row an estimator, two columns a window size."""
    found = scores.groupby(["estimator", "window", "passes"])["work"].mean() / 1e6
    windows = in_order(scores["window"].unique())
    rows = []
    for name in (name for name in METHODS if name in set(scores["estimator"])):
        row = {"estimator": METHODS[name].label}
        for window in windows:
            if (name, window) in found.index:
                own = found[name, window]
                each, before = np.polyfit(own.index.to_numpy(dtype=float), own.to_numpy(), 1)
                first = f"{before:,.3g}" if before > 1e-6 * each else "—"
                row |= {row_name(window): f"{each:,.3g}", f"{row_name(window)}, step 1": first}
        rows.append(row)
    return pd.DataFrame(rows).fillna("—")
