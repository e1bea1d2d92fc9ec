"""Figure 1: distortion as in the paper, the same from many more draws, and what each point really guarantees."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.papers.class_ratio.palette import METHODS

PAPER = ("laplace", "gaussian", "laplace_prior", "scaled_dirichlet")
LABELS = {"classes": "classes c", "proportions": "share ρ₁ of all classes but one", "epsilon": "ε"}


def draw(scores: pd.DataFrame) -> Figure:
    """Rows: the paper's four mechanisms and draws; all mechanisms, more draws; true δ. Columns: its three panels."""
    figure, axes = style.panels(3, len(LABELS), height=2.0, sharex="col")
    for column, (panel, label) in enumerate(LABELS.items()):
        chosen = scores[scores["panel"] == panel]
        _distortion(axes[0, column], chosen[(chosen["draws"] <= 1) & chosen["mechanism"].isin(PAPER)])
        _distortion(axes[1, column], chosen[chosen["draws"] != 1])
        _true_delta(axes[2, column], chosen)
        axes[2, column].set_xlabel(label)
    axes[2, 0].xaxis.get_major_locator().set_params(integer=True)
    for row, label in enumerate(("distortion (L1)\nthe paper's draws", "distortion (L1)\nmany draws", "true δ")):
        axes[row, 0].set_ylabel(label)
    style.letter(axes)
    style.legend(figure, axes[1, 0])
    return figure


def _by_mechanism(scores: pd.DataFrame) -> Iterator[tuple[style.Method, pd.DataFrame]]:
    for name, look in METHODS.items():
        rows = scores[scores["mechanism"] == name]
        if len(rows):
            yield look, rows


def _distortion(axes: Axes, scores: pd.DataFrame) -> None:
    for look, rows in _by_mechanism(scores):
        table = rows.groupby("x")["distortion"].agg(["mean", "std"])  # a point without a scale stays a gap
        axes.errorbar(table.index, table["mean"], table["std"].fillna(0), label=look.label, capsize=1.5, **look.line)
        _mark_gaps(axes, rows, look.color)
    axes.set_ylim(bottom=0)


def _mark_gaps(axes: Axes, rows: pd.DataFrame, color: str) -> None:
    """Crosses at the upper edge where the mechanism has no valid scale."""
    gaps = np.unique(rows.loc[rows["status"] == "no_scale", "x"])
    if len(gaps) == 0:
        return
    across = axes.get_xaxis_transform()
    axes.plot(gaps, np.full(len(gaps), 0.97), "x", color=color, transform=across)
    axes.text(gaps.max(), 0.97, "   no σ", transform=across, va="center", fontsize=6, color=color)


def _true_delta(axes: Axes, scores: pd.DataFrame) -> None:
    for look, rows in _by_mechanism(scores):
        table = rows.groupby("x")["true_delta"].first()
        axes.plot(table.index, table, label=look.label, **look.line)
    axes.set_yscale("symlog", linthresh=1e-4)
    axes.set_ylim(-2e-5, 1.5)
    axes.axhline(0.05, color=style.MUTED, linewidth=0.8, zorder=0)
