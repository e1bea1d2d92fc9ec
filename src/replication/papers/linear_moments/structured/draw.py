"""Draw what structured release costs: the records that a standard error takes, against the length of the chain."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.palette import METHODS

MECHANISMS = ("classical", "coordinate", "per_value", "subset_selection")


def draw(scores: pd.DataFrame) -> Figure:
    """A column a number of labels, a row a level; a line ends where more records are wanted than there are people."""
    labels, levels = sorted(scores["labels"].unique()), sorted(scores["epsilon"].unique())
    table = scores.pivot_table(index=["labels", "epsilon", "mechanism", "length"], columns="quantity", values="value")
    figure, axes = style.panels(len(levels), len(labels), height=1.9, sharex=True, sharey=True)
    largest = table.loc[table["possible"] == 1, "records"].max()
    for i, epsilon in enumerate(levels):
        for j, k in enumerate(labels):
            panel = axes[i, j]
            for mechanism in MECHANISMS:
                curve, look = table.loc[k, epsilon, mechanism], METHODS[mechanism]
                able = curve[curve["possible"] == 1]
                panel.plot(able.index, able["records"], label=look.label, **look.line)
                if len(able) < len(curve) and len(able):
                    beyond = curve[curve["possible"] == 0].iloc[0]
                    ends = [able["records"].iloc[-1], beyond["records"]]
                    panel.plot([able.index[-1], beyond.name], ends, **look.stroke)
                    panel.annotate(
                        "impossible beyond",
                        (able.index[-1], able["records"].iloc[-1]),
                        xytext=(4, 0),
                        textcoords="offset points",
                        color=look.color,
                        fontsize=6,
                        va="center",
                    )
            panel.set_title(f"{k} labels, ε = {epsilon:g}")
            panel.set(xscale="log", yscale="log", ylim=(0.6 * table["records"].min(), 30 * largest))
            style.log_axis(panel, (1, 2, 5, 10, 20, 50))
    error = np.sqrt(table["variance"] / table["records"]).mean()
    style.label(axes, "length of the chain", f"records for a\nstandard error of {error:g}")
    style.finish(figure, columns=4)
    return figure
