"""Draw the share of labels read back against records per feature and against α."""

from math import inf

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style
from replication.palette import METHODS, TITLES

RATIOS = (0.5, 1, 2, 5, 10)


def draw(scores: pd.DataFrame) -> Figure:
    """One column a data set; above by m/d, below by α for the smallest m."""
    datasets = list(scores["dataset"].unique())
    figure, axes = style.panels(2, len(datasets), height=2.3, sharey=True)
    axes[0, 0].set_ylim(0.45, 1.03)
    for column, dataset in enumerate(datasets):
        part = scores[scores["dataset"] == dataset].assign(ratio=lambda frame: frame["m"] / frame["d"])
        _by_size(axes[0, column], part)
        _by_level(axes[1, column], part)
        axes[0, column].set_title(f"{TITLES[dataset]}, d = {part['d'].iloc[0]}")
        axes[1, column].set_title(f"{TITLES[dataset]}, m = {part['m'].min()}")
    style.label(axes, y="labels read back")
    style.label_ends(axes[0, -1])
    style.finish(figure)
    return figure


def _by_size(axis: Axes, scores: pd.DataFrame) -> None:
    levels = sorted(scores["alpha"].unique(), reverse=True)
    for alpha, look in palette.scale(levels, "α = {:g}").items():
        label = "exact" if alpha == inf else look.label
        style.curve(axis, scores[scores["alpha"] == alpha], "ratio", "recovered", look, label=label, linestyle="-")
    chance = scores.groupby("ratio")["majority"].mean()
    axis.plot(chance.index, chance, **METHODS["chance"].line, linewidth=0.9, label=METHODS["chance"].label)
    style.log_axis(axis, RATIOS)
    axis.set_xlabel("records per feature, m/d")


def _by_level(axis: Axes, scores: pd.DataFrame) -> None:
    smallest = scores[(scores["m"] == scores["m"].min()) & np.isfinite(scores["alpha"])]
    style.curve(axis, smallest, "alpha", "recovered", METHODS["laplace"])
    alpha = np.geomspace(smallest["alpha"].min(), smallest["alpha"].max(), 100)
    # Who tells nothing but the commoner class is right this often, whatever α is.
    most = np.maximum(smallest["majority"].mean(), 1 / (1 + np.exp(-alpha)))
    axis.plot(alpha, most, **METHODS["limit"].line, linewidth=0.9, label=METHODS["limit"].label)
    style.log_axis(axis, sorted(smallest["alpha"].unique()))
    axis.set_xlabel("α")
