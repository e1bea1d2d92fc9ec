"""Draw what share of the variance is left against the exact level of a record."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from replication.common.today.margins import answer
from replication.common.today.picture import draw_levels
from replication.palette import METHODS
from replication.papers.linear_moments.claims.today import LEAST, LOCAL, OURS, with_all_records

TITLES = {
    "housing": "housing",
    "california": "California",
    "songs_subset": "songs subset",
    "linear": "synthetic, a million records",
}
SHOWN = (*OURS, "piecewise", "duchi_ball", "privunit", "curator")


def draw(scores: pd.DataFrame) -> Figure:
    """All records of every data set."""
    own = with_all_records(scores)
    title, y = answer(LEAST, own), "share of variance left"
    return draw_levels(own, SHOWN, title, TITLES, y, ("least_squares",), logarithmic=True)


def table(scores: pd.DataFrame) -> pd.DataFrame:
    """How many synthetic records half of least squares' skill takes, on the line between sizes; — where not reached."""
    own = scores[scores["dataset"] == "linear"]
    half = (1 + own.loc[own["method"] == "least_squares", "error"].mean()) / 2
    private = own[own["method"].isin([*LOCAL, "curator"])]
    means = private.groupby(["method", "epsilon", "n"])["error"].mean()
    rows = []
    for method in [name for name in METHODS if name in set(private["method"])]:
        row: dict[str, object] = {"records that half the skill takes": METHODS[method].label}
        for epsilon in sorted(private["epsilon"].unique()):
            row[f"ε = {epsilon:g}"] = _first_below(means.loc[method, epsilon], half)
        rows.append(row)
    return pd.DataFrame(rows)


def _first_below(errors: pd.Series, wanted: float) -> str:
    """The n at which errors fall to what is wanted, on the line between logarithms, to two digits."""
    below = np.flatnonzero(errors <= wanted)
    if not len(below):
        return "—"
    k = int(below[0])
    n = np.log(errors.index.to_numpy(dtype=float))
    if k == 0:
        return f"under {errors.index[0]:,}"
    way = (errors.iloc[k - 1] - wanted) / (errors.iloc[k - 1] - errors.iloc[k])
    found = float(np.exp(n[k - 1] + way * (n[k] - n[k - 1])))
    step = 10 ** (int(np.log10(found)) - 1)
    return f"{round(found / step) * step:,}"
