"""Figure 1: distortion as in the paper, the same from many more draws, and what each point really guarantees."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.papers.class_ratio.panels import by_method, true_delta

PAPER = ("laplace", "gaussian", "laplace_prior", "scaled_dirichlet")
LABELS = {"classes": "classes c", "proportions": "share ρ₁ of all classes but one", "epsilon": "ε"}


def draw(scores: pd.DataFrame) -> Figure:
    """Rows: the paper's four mechanisms and draws; all mechanisms, more draws; true δ. Columns: its three panels."""
    figure, axes = style.panels(3, len(LABELS), height=2.0, sharex="col")
    for (panel, label), column in zip(LABELS.items(), axes.T, strict=True):
        chosen = scores[scores["panel"] == panel]
        _distortion(column[0], chosen[(chosen["draws"] <= 1) & chosen["mechanism"].isin(PAPER)])
        _distortion(column[1], chosen[chosen["draws"] != 1])
        true_delta(column[2], by_method(chosen, "mechanism"), "x", "true_delta", 0.05)
        column[2].set_xlabel(label)
    axes[2, 0].xaxis.get_major_locator().set_params(integer=True)
    style.label(axes, y=("distortion (L1)\nthe paper's draws", "distortion (L1)\nmany draws", "true δ"))
    style.finish(figure)
    return figure


def _distortion(axes: Axes, scores: pd.DataFrame) -> None:
    for look, rows in by_method(scores, "mechanism"):
        table = rows.groupby("x")["distortion"].agg(["mean", "std"])  # a point without a scale stays a gap
        axes.errorbar(table.index, table["mean"], table["std"].fillna(0), label=look.label, capsize=1.5, **look.line)
        _mark_gaps(axes, rows, look.color)
    axes.set_ylim(0, 1.08 * axes.get_ylim()[1])


def _mark_gaps(axes: Axes, rows: pd.DataFrame, color: str) -> None:
    """Crosses at the upper edge where the mechanism has no valid scale."""
    gaps = np.unique(rows.loc[rows["status"] == "no_scale", "x"])
    if len(gaps):
        across = axes.get_xaxis_transform()
        axes.plot(gaps, np.full(len(gaps), 0.97), "x", color=color, transform=across)
        axes.text(gaps.max(), 0.97, "   no σ", transform=across, va="center", fontsize=6, color=color)
