"""Draw the step-size study: the best early and late accuracy each estimator can have, and every curve behind it."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from unveil import style

NAMES = {
    "marginal_exact": "marginal, exact",
    "marginal_beam": "marginal, beam of 500",
    "moments": "moments",
    "moments_features": "moments on features",
}
LOOKS = style.looks(["", *NAMES])
OPTIMIZERS = {"adagrad": "AdaGrad", "sgd": "plain SGD"}


def draw(scores: pd.DataFrame) -> Figure:
    """Test accuracy against passes, a column a rate, a row an optimiser and window size."""
    test = scores[scores["split"] == "test"]
    solved = test[test["step1_passes"] == _most(test)]
    rows = [
        (window, optimizer)
        for window in sorted(test["window"].unique(), key=lambda window: window or np.inf)
        for optimizer in test["optimizer"].unique()
    ]
    width = max(test.loc[test["optimizer"] == optimizer, "rate"].nunique() for optimizer in OPTIMIZERS)
    figure, axes = style.panels(len(rows), width, height=1.35, sharex=True, sharey="row")
    curves = style.interval(solved, ["window", "optimizer", "rate", "estimator", "passes"], "accuracy")
    for i, (window, optimizer) in enumerate(rows):
        part = curves[(curves["window"] == window) & (curves["optimizer"] == optimizer)]
        rates = sorted(part["rate"].unique())
        for axis, rate in zip(axes[i], rates, strict=False):
            _panel(axis, part[part["rate"] == rate])
            axis.set_title(f"{OPTIMIZERS[optimizer]} {rate:g}")
        for axis in axes[i, len(rates) :]:
            axis.axis("off")
        axes[i, 0].set_ylabel(f"w = {window}\ntest accuracy" if window else "sentence\ntest accuracy")
    for axis in axes[-1]:
        axis.set_xlabel("passes")
    style.legend(figure, axes[0, 0])
    return figure


def _most(test: pd.DataFrame) -> pd.Series:
    """The passes of step 1 of the runs that solved it: the most of each estimator, window and trial."""
    return test.groupby(["window", "estimator", "trial"])["step1_passes"].transform("max")


def _panel(axis: Axes, part: pd.DataFrame) -> None:
    for estimator, curve in part.groupby("estimator", sort=False):
        look = {**LOOKS[str(estimator)], "label": NAMES[str(estimator)]}
        style.band(axis, curve["passes"], curve["mean"], curve["low"], curve["high"], markersize=2, **look)
    axis.set_xscale("log")
    axis.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
