"""Draw the error rate against the exact level of a label: the mean operator, and what is done to labels today."""

import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.palette import METHODS, TITLES

#: In the order of the legend; the Laplace noise is in the scores.
SHOWN = ("gamma", "forward", "backward", "two_rounds", "denoised", "objective")
LEVELS = ("none", "chance")


def draw(scores: pd.DataFrame) -> Figure:
    """One panel a data set; curators who hide whole records are drawn at the level of the record."""
    datasets = scores["dataset"].unique()
    figure, axes = style.panels(1, len(datasets), height=2.4)
    percent = scores.assign(error=100 * scores["error"])
    for axis, dataset in zip(axes[0], datasets, strict=True):
        part = percent[percent["dataset"] == dataset]
        for name in LEVELS:
            style.level(axis, part.loc[part["method"] == name, "error"].mean(), METHODS[name])
        for name in SHOWN:
            style.curve(axis, part[part["method"] == name], "epsilon", "error", METHODS[name])
        style.log_axis(axis, sorted(part.loc[part["epsilon"] < float("inf"), "epsilon"].unique()))
        axis.set(title=TITLES[dataset], xlabel="exact ε of a label (dashed: record)", ylim=(0, None))
    style.label(axes, y="wrong labels, %")
    style.finish(figure, columns=4)
    return figure
