"""Error over the number of sets into which the same instances are cut."""

import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.papers.class_ratio.panels import error_panels


def draw(scores: pd.DataFrame) -> Figure:
    """One panel a data set, with the sizes of its sets below their numbers."""
    figure = error_panels(scores, "mechanism", "sets", "number of sets, and their size n")
    for panel, (_, own) in zip(figure.axes, scores.groupby("dataset", sort=False), strict=True):
        sizes = own.groupby("sets")["n"].first()
        style.log_axis(panel, sizes.index, [f"{sets}\n{n:,}" for sets, n in sizes.items()])
    return figure
