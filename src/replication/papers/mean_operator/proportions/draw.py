"""Draw accuracy against the number of bags, homogeneous above, sorted below."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style

TITLES = {"census": "Census", "mnist": "MNIST 7/9", "breast_cancer": "breast cancer"}
METHODS = {"mean_map": "mean map", "soft_labels": "bag's share as label"}


def draw(scores: pd.DataFrame) -> Figure:
    """One column a data set."""
    datasets = list(scores["dataset"].unique())
    figure, axes = style.panels(2, len(datasets), height=1.9, sharex=True, sharey=True)
    axes[0, 0].set_ylim(0.45, 1.0)
    for row, bagging in enumerate(("homogeneous", "sorted")):
        for column, dataset in enumerate(datasets):
            axis = axes[row, column]
            _panel(axis, scores[scores["dataset"] == dataset], bagging)
            axis.set_title(f"{TITLES[dataset]}, {bagging}")
        axes[row, 0].set_ylabel("accuracy")
    for axis in axes[1]:
        axis.set_xlabel("bags")
    style.letter(axes)
    style.legend(figure, axes[0, 0])
    return figure


def _panel(axis: Axes, scores: pd.DataFrame, bagging: str) -> None:
    whole = scores[scores["method"] == "mean_operator"].groupby("alpha")["accuracy"].mean()
    axis.axhline(whole.max(), color=style.INK, linewidth=0.9, label="exact mean operator")
    axis.axhline(
        scores["base_rate"].mean(), color=style.MUTED, linewidth=0.9, linestyle=":", label="base rate"
    )
    part = scores[scores["bagging"] == bagging]
    levels = sorted(part["alpha"].unique(), reverse=True)
    looks = style.looks(f"{method} {alpha}" for method in METHODS for alpha in levels)
    for method, label in METHODS.items():
        for alpha in levels:
            cell = part[(part["method"] == method) & (part["alpha"] == alpha)]
            found = style.interval(cell, ["bags"], "accuracy")
            name = label if alpha == float("inf") else f"{label}, α = {alpha:g}"
            look = looks[f"{method} {alpha}"]
            style.band(axis, found["bags"], found["mean"], found["low"], found["high"], name, **look)
    axis.set_xscale("log", base=2)
