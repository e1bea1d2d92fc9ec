"""Draw what figure 7 leaves out: windows of one and ten words, and the lead at every size on two corpora."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style
from replication.papers.linear_moments.fig7.draw import FLOOR, accuracies, in_order, row_name, scale_passes
from replication.papers.linear_moments.fig7_size.overtaking import leads

WINDOWS = (1, 10)
CORPORA = {"treebank": "Lead of moments, Treebank", "ewt": "Lead of moments, EWT"}


def draw(scores: pd.DataFrame) -> Figure:
    """Above, accuracies as in figure 7; below, a panel a corpus, a line a window size."""
    figure, axes = style.panels(2, 2, height=2.5)
    for axis, window in zip(axes[0], WINDOWS, strict=True):
        own = scores[(scores["corpus"] == "treebank") & (scores["window"] == window)]
        accuracies(axis, own)
        axis.set(title=row_name(window), ylim=(FLOOR, 1))
    lead = leads(scores).assign(lead=lambda row: 100 * row["lead"])
    looks = palette.scale(in_order(lead["window"].unique()))
    for axis, (corpus, title) in zip(axes[1], CORPORA.items(), strict=True):
        _leads(axis, lead[lead["corpus"] == corpus], looks)
        axis.set_title(title)
    style.label_ends(axes[1, 1])
    style.label(axes, "passes", ["accuracy per token", "points"])
    style.finish(figure)
    return figure


def _leads(axes: Axes, lead: pd.DataFrame, looks: dict[object, palette.Method]) -> None:
    for window, look in looks.items():
        table = style.interval(lead[lead["window"] == window], ["passes"], "lead")
        style.band(axes, table, "passes", look, label=row_name(int(str(window))), markersize=2.5)
    axes.axhline(0, color=palette.INK, linewidth=0.6)
    scale_passes(axes)
