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
    figure, axes = style.panels(len(levels), len(labels), height=2.5, sharex=True, sharey=True)
    for row, epsilon in zip(axes, levels, strict=True):
        for panel, k in zip(row, labels, strict=True):
            for mechanism in MECHANISMS:
                curve, look = table.loc[k, epsilon, mechanism], METHODS[mechanism]
                panel.plot(curve["records"].where(curve["possible"] == 1), label=look.label, **look.line)
            panel.set(title=f"{k} labels, ε = {epsilon:g}", yscale="log", ylim=(0.5 * table["records"].min(), None))
            style.log_axis(panel, (1, 2, 5, 10, 20, 50))
    error = np.sqrt(table["variance"] / table["records"]).mean()
    style.label(axes, "length of the chain", f"records for a\nstandard error of {error:g}")
    style.finish(figure, columns=4)
    return figure
