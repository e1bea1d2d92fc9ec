"""Draw the step-size study: test accuracy against passes for every optimiser and rate."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullFormatter

from replication import style

NAMES = {
    "supervised": "supervised",
    "marginal_exact": "marginal, exact",
    "marginal_merged": "marginal, exact or merged beam",
    "marginal_beam": "marginal, plain beam",
    "moments": "moments",
    "moments_features": "moments on features",
}
LOOKS = style.looks(NAMES)
OPTIMIZERS = {"adagrad": "AdaGrad", "sgd": "plain SGD"}


def draw(scores: pd.DataFrame) -> Figure:
    """A row an optimiser and window size, a column a rate; dotted, moments with little of step 1, all counted."""
    test = scores[scores["split"] == "test"]
    sizes = sorted(test["window"].unique(), key=lambda window: window or np.inf)
    rows = [(window, optimizer) for window in sizes for optimizer in test["optimizer"].unique()]
    columns = max(test.loc[test["optimizer"] == optimizer, "rate"].nunique() for optimizer in OPTIMIZERS)
    figure, axes = style.panels(len(rows), columns, height=1.35, sharex=True, sharey="row")
    for i, (window, optimizer) in enumerate(rows):
        part = test[(test["window"] == window) & (test["optimizer"] == optimizer)]
        rates = sorted(part["rate"].unique())
        for axis, rate in zip(axes[i], rates, strict=False):
            _panel(axis, part[part["rate"] == rate])
            axis.set_title(f"{OPTIMIZERS[optimizer]} {rate:g}")
        for axis in axes[i, len(rates) :]:
            axis.axis("off")
        axes[i, 0].set_ylabel(f"w = {window}\ntest accuracy" if window else "sentence\ntest accuracy")
        axes[i, 0].set_ylim(bottom=max(0.0, _low(part)))
    for axis in axes[-1]:
        axis.set_xlabel("passes")
    _legend(figure, test, columns)
    return figure


def _panel(axis: Axes, part: pd.DataFrame) -> None:
    solved = part.groupby(["estimator", "trial"])["step1_passes"].transform("max")
    curves = style.interval(part[part["step1_passes"] == solved], ["estimator", "passes"], "accuracy")
    hasty = part[part["step1_passes"] < solved].groupby(["estimator", "passes"])
    short = hasty[["accuracy", "step1_passes"]].mean().reset_index()
    for estimator, look in LOOKS.items():
        curve, early = curves[curves["estimator"] == estimator], short[short["estimator"] == estimator]
        if len(curve):
            style.band(
                axis, curve["passes"], curve["mean"], curve["low"], curve["high"], markersize=2, **look
            )
        if len(early):
            counted = early["passes"] + early["step1_passes"]
            axis.plot(counted, early["accuracy"], color=look["color"], linestyle=":", linewidth=1)
    axis.set_xscale("log")
    axis.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.xaxis.set_minor_formatter(NullFormatter())


def _low(part: pd.DataFrame) -> float:
    """Leave off the axis what lies far below the rest within the first quarter of a pass."""
    return float(part.loc[part["passes"] >= 0.25, "accuracy"].quantile(0.02)) - 0.03


def _legend(figure: Figure, test: pd.DataFrame, columns: int) -> None:
    drawn = [name for name in NAMES if name in set(test["estimator"])]
    handles = [Line2D([], [], label=NAMES[name], **LOOKS[name]) for name in drawn]
    least = test.loc[test["step1_passes"] > 0, "step1_passes"].min()
    label = f"{least} passes of step 1, all passes counted"
    handles.append(Line2D([], [], color=style.MUTED, linestyle=":", label=label))
    figure.legend(handles=handles, loc="outside upper center", ncols=3 if columns > 1 else 1)
