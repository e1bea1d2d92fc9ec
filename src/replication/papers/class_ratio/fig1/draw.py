"""Figure 1: the distortion of one set's proportions, over the classes, their shares and ε."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.palette import METHODS

PAPER = ("laplace", "gaussian", "laplace_prior", "scaled_dirichlet")
PANELS = {
    "classes": ("number of classes", "classes c"),
    "proportions": ("class proportions", "share ρ₁ of all but one"),
    "epsilon": ("level", "ε"),
}


def draw(scores: pd.DataFrame) -> Figure:
    """The paper's three panels with its mechanisms and its number of draws."""
    return over_settings(scores[scores["draws"] <= 1], PAPER)


def over_settings(scores: pd.DataFrame, mechanisms: Sequence[str]) -> Figure:
    """One panel for each thing that varies; lines are named at their ends."""
    figure, axes = style.panels(1, len(PANELS), height=3.0, sharey=True)
    for axis, (name, (title, label)) in zip(axes[0], PANELS.items(), strict=True):
        _distortion(axis, scores[scores["panel"] == name], mechanisms)
        axis.set(title=title, xlabel=label)
    axes[0, 0].set_ylim(bottom=0)
    axes[0, 0].set_ylabel("distortion (L1)")
    style.label_ends(axes[0, -1], width=18)
    style.finish(figure)
    return figure


def _distortion(axes: Axes, scores: pd.DataFrame, mechanisms: Sequence[str]) -> None:
    """Means with one standard deviation of what was averaged; crosses where a mechanism has no valid scale."""
    for name in mechanisms:
        look, rows = METHODS[name], scores[scores["mechanism"] == name]
        table = rows.groupby("x")["distortion"].agg(["mean", "std"]).reset_index()  # without a scale: a gap
        spread = table["std"].fillna(0)
        style.band(
            axes, table.assign(low=(table["mean"] - spread).clip(lower=0), high=table["mean"] + spread), "x", look
        )
        gaps = np.unique(rows.loc[rows["status"] == "no_scale", "x"])
        if len(gaps):
            across = axes.get_xaxis_transform()
            axes.plot(gaps, np.full(len(gaps), 0.04), "x", color=look.color, transform=across)
            axes.text(gaps.max(), 0.04, "  no σ", transform=across, va="center", fontsize=style.SMALL, color=look.color)
