"""Draw the error against the exact level of a whole record, the paper's noise where it truly lies."""

import pandas as pd
from matplotlib.figure import Figure

from replication.common.today.margins import answer
from replication.common.today.picture import draw_levels
from replication.papers.spread.claims.today import SPREAD_BEATS_PLAIN

TITLES = {"mnist": "MNIST 7/9", "census": "Census, 20 random directions"}
SHOWN = ("spread_paper", "gaussian_spread", "gaussian_plain", "sphere_spread", "sphere_plain", "random_sphere_spread")


def draw(scores: pd.DataFrame) -> Figure:
    """One panel a data set."""
    title = answer(SPREAD_BEATS_PLAIN, scores)
    return draw_levels(scores, SHOWN, title, TITLES, "share of wrong classes", (), 0.52)


def facts(scores: pd.DataFrame) -> dict[str, str]:
    """What the paper's noise is worth."""
    own = scores[scores["method"] == "spread_paper"]
    levels = own.groupby("dataset")["epsilon"].agg(["min", "max"])
    return {"paper": "; ".join(f"{name}: {low:,.0f} to {high:,.0f}" for name, (low, high) in levels.iterrows())}
