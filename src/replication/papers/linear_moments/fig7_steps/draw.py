"""Draw the step-size study: test accuracy against passes for every optimiser and rate."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.papers.linear_moments.fig7.draw import ESTIMATORS, add_dotted, in_order, row_name, scale_passes
from replication.papers.linear_moments.palette import METHODS

OPTIMIZERS = {"adagrad": "AdaGrad", "sgd": "plain SGD"}


def draw(scores: pd.DataFrame) -> Figure:
    """A row an optimiser and window size, a column a rate; dotted, moments with little of step 1, all counted."""
    test = scores[scores["split"] == "test"]
    sizes = in_order(test["window"].unique())
    rows = [(window, optimizer) for window in sizes for optimizer in test["optimizer"].unique()]
    columns = max(test.loc[test["optimizer"] == optimizer, "rate"].nunique() for optimizer in OPTIMIZERS)
    figure, axes = style.panels(len(rows), columns, height=1.35, sharex=True, sharey="row")
    least = test.loc[test["step1_passes"] > 0, "step1_passes"].min()
    for i, (window, optimizer) in enumerate(rows):
        part = test[(test["window"] == window) & (test["optimizer"] == optimizer)]
        rates = sorted(part["rate"].unique())
        for axis, rate in zip(axes[i], rates, strict=False):
            _panel(axis, part[part["rate"] == rate])
            scale_passes(axis, f"{least} passes of step 1, all passes counted")
            axis.set_title(f"{OPTIMIZERS[optimizer]} {rate:g}")
        for axis in axes[i, len(rates) :]:
            axis.remove()
        axes[i, 0].set_ylim(bottom=max(0.0, _low(part)))
    style.label(axes, "passes", [f"{row_name(window)}\ntest accuracy" for window, _ in rows])
    style.finish(figure, columns=3 if columns > 1 else 1)
    return figure


def _panel(axis: Axes, part: pd.DataFrame) -> None:
    solved = part.groupby(["estimator", "trial"])["step1_passes"].transform("max")
    curves = style.interval(part[part["step1_passes"] == solved], ["estimator", "passes"], "accuracy")
    hasty = part[part["step1_passes"] < solved].groupby(["estimator", "passes"])
    short = hasty[["accuracy", "step1_passes"]].mean().reset_index()
    for estimator in ESTIMATORS:
        curve, early = curves[curves["estimator"] == estimator], short[short["estimator"] == estimator]
        if len(curve):
            style.band(axis, curve, "passes", METHODS[estimator], markersize=2)
        if len(early):
            add_dotted(axis, estimator, early["passes"] + early["step1_passes"], early["accuracy"])


def _low(part: pd.DataFrame) -> float:
    """Leave off the axis what lies far below the rest within the first quarter of a pass."""
    return float(part.loc[part["passes"] >= 0.25, "accuracy"].quantile(0.02)) - 0.03
