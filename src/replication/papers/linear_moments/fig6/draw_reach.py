"""Tabulate the α that shares of least squares' skill take."""

import numpy as np
import pandas as pd

from replication.palette import METHODS, in_order
from replication.papers.linear_moments.fig6.draw import PRIVATE, TITLES


def table(scores: pd.DataFrame) -> pd.DataFrame:
    """One row a data set and solver, geometric means over trials; a dash where some trial never gets there."""
    reach = scores[(scores["panel"] == "reach") & ~scores["centred"].astype(bool)]
    shares = sorted(reach["share"].unique())
    found = reach.groupby(["dataset", "estimator", "share"])["alpha"].agg(lambda alphas: np.exp(np.log(alphas).mean()))
    return pd.DataFrame(
        [
            {"data set": TITLES[dataset], "solver": METHODS[name].label}
            | {f"α for {100 * share:.0f} % of its skill": _amount(found[dataset, name, share]) for share in shares}
            for dataset in in_order(reach["dataset"], TITLES)
            for name in PRIVATE
            if (dataset, name) in found.index.droplevel("share")
        ]
    )


def _amount(alpha: float) -> str:
    return f"{alpha:,.3g}" if np.isfinite(alpha) else "—"
