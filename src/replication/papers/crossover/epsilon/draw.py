"""Draw the errors of all estimators against the privacy of a label, or against the number of records."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.palette import METHODS, TITLES, looks_of
from unveil.types import Array

TASKS = {"classify": "share of wrong labels", "ratio": "L1 error of class ratios"}
#: Upper ends of the axes, just above what guessing gives on any task here.
TOPS = {"classify": 0.52, "ratio": 1.2}
#: More ticks than these crowd an axis.
MANY = 5


#: Drawn as what all others are held against, not as one of them.
REFERENCES = ("clean", "information")


def draw(scores: pd.DataFrame) -> Figure:
    """Mean errors with their intervals against what varies; what guessing and clean labels would give as lines."""
    varied = len(set(scores.loc[~scores["estimator"].isin(REFERENCES), "epsilon"])) > 1
    column, label = ("epsilon", "ε of a label (nats)") if varied else ("n", "records")
    # A data set at one size has no curve.
    points = scores[~scores["estimator"].isin(REFERENCES)].groupby("dataset", sort=False)[column].nunique()
    datasets = list(points.index[points > 1]) or list(points.index)
    figure, axes = style.panels(len(TASKS), len(datasets), height=2.6, sharey="row")
    for task, row in zip(TASKS, axes, strict=True):
        for dataset, panel in zip(datasets, row, strict=True):
            part = scores[(scores["dataset"] == dataset) & (scores["task"] == task)]
            _panel(panel, part, column)
            panel.set_title(TITLES[dataset])
        style.label_ends(row[-1], width=16)
    style.label(axes, label, list(TASKS.values()))
    style.finish(figure)
    return figure


def _panel(panel: Axes, scores: pd.DataFrame, column: str) -> None:
    # The errors of a trial's test sets go together: their mean is one observation.
    trials = scores.groupby(["estimator", column, "n", "trial"], as_index=False)["error"].mean()
    trials["x"] = trials[column].astype(float)
    others = trials[~trials["estimator"].isin(REFERENCES)]
    finite = np.sort(others.loc[np.isfinite(others["x"]), "x"].unique())
    # No flips at all stand one step to the right.
    end = finite[-1] * (finite[-1] / finite[-2] if len(finite) > 1 else 3.0)
    trials["x"] = trials["x"].replace(np.inf, end).astype(float)
    for estimator, look in looks_of(others["estimator"]).items():
        style.curve(panel, trials[trials["estimator"] == estimator], "x", "error", look)
    style.level(panel, scores["base_rate"].mean(), METHODS["chance"], at=0.98)
    _references(panel, trials, column, finite)
    ticks = list(finite) if len(finite) <= MANY else list(finite[::2])
    names = [f"{tick:g}" if tick < 1000 else f"{tick / 1000:g}k" for tick in ticks]
    if np.isinf(others[column]).any():
        ticks, names = [*ticks, end], [*names, "∞"]
    style.log_axis(panel, ticks, names)
    # Intervals of few repetitions may reach far; the means must fit.
    panel.set_ylim(0, TOPS[scores["task"].iloc[0]])


def _references(panel: Axes, trials: pd.DataFrame, column: str, finite: Array) -> None:
    """Clean labels as a level where they have no place on the axis; the limit only where no sample lies behind it."""
    clean = trials[trials["estimator"] == "clean"]
    if column == "n":
        style.curve(panel, clean[clean["x"] >= finite[0]], "x", "error", METHODS["clean"])
    elif len(clean):
        style.level(panel, clean.loc[clean["n"] == clean["n"].max(), "error"].mean(), METHODS["clean"], above=False)
    limit = trials[trials["estimator"] == "information"]
    if len(limit):
        panel.plot(limit["x"], limit["error"], label=METHODS["information"].label, **METHODS["information"].line)
