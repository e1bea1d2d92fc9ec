"""How both crossover figures are drawn."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.papers.crossover.palette import METHODS
from replication.papers.mean_operator.palette import TITLES

TASKS = {"classify": "share of wrong labels", "ratio": "L1 error of class ratios"}
#: Upper ends of the axes, just above what guessing gives on any task here.
TOPS = {"classify": 0.6, "ratio": 1.2}
#: More ticks than these crowd an axis.
MANY = 5


def draw_errors(scores: pd.DataFrame, column: str, label: str) -> Figure:
    """Mean errors with their intervals against `column`; what guessing would give as a line."""
    datasets = list(dict.fromkeys(scores["dataset"]))
    figure, axes = style.panels(len(TASKS), len(datasets), height=2.0, sharey="row")
    for task, row in zip(TASKS, axes, strict=True):
        for dataset, panel in zip(datasets, row, strict=True):
            part = scores[(scores["dataset"] == dataset) & (scores["task"] == task)]
            _panel(panel, part, column)
            panel.set_title(TITLES[dataset])
    style.label(axes, label, list(TASKS.values()))
    style.finish(figure, columns=3)
    return figure


def _panel(panel: Axes, scores: pd.DataFrame, column: str) -> None:
    # The errors of a trial's test sets go together: their mean is one observation.
    trials = scores.groupby(["estimator", column, "trial"], as_index=False)["error"].mean()
    trials = trials.rename(columns={column: "x"})
    finite = np.sort(trials.loc[np.isfinite(trials["x"]), "x"].unique())
    # No flips at all stand one step to the right.
    step = finite[-1] / finite[-2] if len(finite) > 1 else 3.0
    end = finite[-1] * step
    trials["x"] = trials["x"].replace(np.inf, end).astype(float)
    for estimator in dict.fromkeys(scores["estimator"]):
        style.curve(panel, trials[trials["estimator"] == estimator], "x", "error", METHODS[estimator])
    style.level(panel, scores["base_rate"].mean(), METHODS["chance"])
    ticks = list(finite) if len(finite) <= MANY else list(finite[::2])
    names = [f"{tick:g}" for tick in ticks]
    if np.isinf(scores[column]).any():
        ticks, names = [*ticks, end], [*names, "∞"]
    style.log_axis(panel, ticks, names)
    # Intervals of few repetitions may reach far; the means must fit.
    panel.set_ylim(0, TOPS[scores["task"].iloc[0]])
