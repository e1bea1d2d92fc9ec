"""Draw the mean error of all methods on all data sets, best first."""

import pandas as pd
from matplotlib.figure import Figure

from replication import palette, style
from replication.palette import DATASETS, METHODS

#: The ending of methods that see every label.
LABELLED = "_labelled"


def draw(scores: pd.DataFrame) -> Figure:
    """A row a method, a mark a data set; hollow where labels are seen."""
    trials = scores.groupby(["dataset", "method", "trial"], as_index=False)["l1_error"].mean()
    table = style.interval(trials, ["method", "dataset"], "l1_error")
    order = list(table.groupby("method")["mean"].mean().sort_values().index)
    figure, axes = style.panels(height=0.9 + 0.22 * len(order))
    panel = axes[0, 0]
    for dataset, own in table.groupby("dataset"):
        look = DATASETS[str(dataset)]
        rows = own["method"].map(order.index)
        panel.hlines(rows, own["low"], own["high"], color=look.color, linewidth=0.9)
        for hollow, fill in ((False, look.color), (True, palette.BLANK)):
            chosen = own["method"].str.endswith(LABELLED) == hollow
            label = look.label if not hollow else None
            panel.plot(own["mean"][chosen], rows[chosen], markerfacecolor=fill, label=label, **look.marks)
    panel.set_yticks(range(len(order)), [METHODS[name].label for name in order])
    panel.set(xlabel="mean L1 error over all test mixtures", ylim=(len(order) - 0.4, -0.6), xlim=(0, None))
    style.finish(figure)
    return figure
