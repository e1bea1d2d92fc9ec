"""Figure 1: distortion as in the paper, the same from many more draws, and what each point really guarantees."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.papers.class_ratio.panels import by_method, label_ends, true_delta

PAPER = ("laplace", "gaussian", "laplace_prior", "scaled_dirichlet")
TITLES = {"classes": "number of classes", "proportions": "share of all but one", "epsilon": "level ε"}
LABELS = {"classes": "classes c", "proportions": "share ρ₁ of all classes but one", "epsilon": "ε"}


def draw(scores: pd.DataFrame) -> Figure:
    """Rows: the paper's four mechanisms and draws; all mechanisms, more draws; true δ. Columns: its three panels."""
    figure, axes = style.panels(3, len(LABELS), height=2.1, sharex="col", sharey="row")
    for (panel, title), column in zip(TITLES.items(), axes.T, strict=True):
        chosen = scores[scores["panel"] == panel]
        _distortion(column[0], chosen[(chosen["draws"] <= 1) & chosen["mechanism"].isin(PAPER)])
        _distortion(column[1], chosen[chosen["draws"] != 1])
        true_delta(column[2], by_method(chosen, "mechanism"), "x", "true_delta", 0.05)
        for shown in column:
            shown.set_title(title)
        column[2].set_xlabel(LABELS[panel])
        column[2].margins(y=0.05)
    axes[2, 0].xaxis.get_major_locator().set_params(integer=True)
    style.label(axes, y=("distortion (L1)\nthe paper's draws", "distortion (L1)\nmany draws", "true δ"))
    style.letter(figure)
    for row in axes:
        label_ends(row[-1])
    return figure


def _distortion(axes: Axes, scores: pd.DataFrame) -> None:
    for look, rows in by_method(scores, "mechanism"):
        table = rows.groupby("x")["distortion"].agg(["mean", "std"])  # a point without a scale stays a gap
        low = table["mean"] - np.minimum(table["std"].fillna(0), 0.9 * table["mean"])  # the axis has no zero
        high = table["mean"] + table["std"].fillna(0)
        axes.plot(table.index, table["mean"], label=look.label, **look.line)
        axes.vlines(table.index, low, high, color=look.color, linewidth=0.8)
        _mark_gaps(axes, rows, look.color)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:g}")


def _mark_gaps(axes: Axes, rows: pd.DataFrame, color: str) -> None:
    """Crosses below the curves where the mechanism has no valid scale."""
    gaps = np.unique(rows.loc[rows["status"] == "no_scale", "x"])
    if len(gaps):
        across = axes.get_xaxis_transform()
        axes.plot(gaps, np.full(len(gaps), 0.05), "x", color=color, transform=across)
        axes.text(gaps.max(), 0.05, "  no σ", transform=across, va="center", fontsize=6, color=color)
