"""Draw the errors of all estimators against the privacy of a label, or against the number of records."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.palette import METHODS, TITLES, looks_of

#: The upper end of the axes, just above what guessing gives.
TOP = 0.52
#: More ticks than these crowd an axis.
MANY = 5


def draw(scores: pd.DataFrame) -> Figure:
    """Mean errors with their intervals against what varies; what guessing and clean labels would give as lines."""
    veiled = scores[scores["estimator"] != "clean"]
    varied = len(set(veiled["epsilon"])) > 1
    column, label = ("epsilon", "ε of a label (nats)") if varied else ("n", "records")
    # A data set at one size has no curve.
    points = veiled.groupby("dataset", sort=False)[column].nunique()
    datasets = list(points.index[points > 1]) or list(points.index)
    figure, axes = style.panels(1, len(datasets), height=2.8, sharey="row")
    for dataset, panel in zip(datasets, axes[0], strict=True):
        _panel(panel, scores[scores["dataset"] == dataset], column)
        panel.set_title(TITLES[dataset])
    style.label_ends(axes[0, -1], width=16)
    style.label(axes, label, "share of wrong labels")
    style.finish(figure)
    return figure


def _panel(panel: Axes, scores: pd.DataFrame, column: str) -> None:
    trials = scores.assign(x=scores[column].astype(float))
    veiled = trials["estimator"] != "clean"
    values = np.sort(trials.loc[veiled, "x"].unique())
    finite, ticks = values[np.isfinite(values)], list(values)
    if len(finite) < len(values):  # no flips at all stand one step to the right
        ticks[-1] = finite[-1] * (finite[-1] / finite[-2] if len(finite) > 1 else 3.0)
        trials["x"] = trials["x"].replace(np.inf, ticks[-1])
    for estimator, look in looks_of(trials.loc[veiled, "estimator"]).items():
        style.curve(panel, trials[trials["estimator"] == estimator], "x", "error", look)
    style.level(panel, scores["base_rate"].mean(), METHODS["chance"], at=0.98)
    clean = trials[~veiled]
    if column == "n":
        style.curve(panel, clean, "x", "error", METHODS["clean"])
    elif len(clean):
        style.level(panel, clean["error"].mean(), METHODS["clean"], above=False)
    names = [f"{n:g}" if n < 1000 else f"{n / 1000:g}k" for n in finite] + ["∞"] * (len(values) - len(finite))
    step = 1 if len(ticks) <= MANY else 2
    style.log_axis(panel, ticks[::step], names[::step])
    # Intervals of few repetitions may reach far; the means must fit.
    panel.set_ylim(0, TOP)
