"""Draw accuracy against the number of bags, homogeneous above, sorted below."""

from itertools import cycle

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.palette import METHODS, TITLES

#: One a privacy level, from none on.
DASHES = ("-", "--", ":")


def draw(scores: pd.DataFrame) -> Figure:
    """One column a data set."""
    datasets = list(scores["dataset"].unique())
    figure, axes = style.panels(2, len(datasets), height=2.3, sharex=True, sharey=True)
    axes[0, 0].set_ylim(0.45, 1.0)
    for row, bagging in zip(axes, ("homogeneous", "sorted"), strict=True):
        for axis, dataset in zip(row, datasets, strict=True):
            _panel(axis, scores[scores["dataset"] == dataset], bagging)
            axis.set_title(f"{TITLES[dataset]}, {bagging}")
    style.label(axes, "bags", "accuracy")
    style.finish(figure)
    return figure


def _panel(axis: Axes, scores: pd.DataFrame, bagging: str) -> None:
    """A method has its colour and marker at every α, and a dash for each."""
    whole = scores[scores["method"] == "mean_operator"].groupby("alpha")["accuracy"].mean()
    style.level(axis, whole.max(), METHODS["none"])
    style.level(axis, scores["base_rate"].mean(), METHODS["chance"], above=False)
    part = scores[scores["bagging"] == bagging]
    # The smaller markers come last: where the two agree, both are seen.
    for name, size in (("soft_labels", 4.5), ("mean_map", 3.0)):
        look = METHODS[name]
        for alpha, dash in zip(sorted(part["alpha"].unique(), reverse=True), cycle(DASHES), strict=False):
            cell = part[(part["method"] == name) & (part["alpha"] == alpha)]
            label = look.label if alpha == float("inf") else f"{look.label}, α = {alpha:g}"
            style.curve(axis, cell, "bags", "accuracy", look, label=label, linestyle=dash, markersize=size)
    style.log_axis(axis, (2, 10, 100, 1000))
