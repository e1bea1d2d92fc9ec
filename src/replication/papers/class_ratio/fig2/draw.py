"""Figure 2: error over the share of positives, of the methods that the paper compares."""

import pandas as pd
from matplotlib.figure import Figure

from replication.palette import DATASETS, METHODS
from replication.papers.class_ratio.panels import panel_rows

PAPER = ("mmd", "psvm")


def draw(scores: pd.DataFrame) -> Figure:
    """One panel a data set."""
    return panel_rows(
        {"": scores[scores["method"].isin(PAPER)]},
        "method",
        "positive_fraction",
        "positives in the test set",
        2.9,
        False,
    )


def facts(scores: pd.DataFrame) -> dict[str, str]:
    """Bandwidths at the grid's ends."""
    widths = scores.dropna(subset="bandwidth").query("positive_fraction == positive_fraction.min()")
    low, high = widths["bandwidth"].min(), widths["bandwidth"].max()
    matched = widths[widths["method"].isin(["mmd", "mmd_unbiased"])].groupby(["dataset", "method"])["bandwidth"]
    edges = matched.agg(lambda own: ((own == low) | (own == high)).mean())
    said = (f"{DATASETS[name].label}, {METHODS[method].label}: {v:.0%}" for (name, method), v in edges.items())
    return {"edges": "; ".join(said)}
