"""Draw the step-size study: each estimator at the rate that serves it, and all at equal rates."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.palette import looks_of
from replication.papers.linear_moments.fig7.draw import in_order, row_name, scale_passes

OPTIMIZERS = {"adagrad": "AdaGrad", "sgd": "plain SGD"}


def draw(scores: pd.DataFrame) -> Figure:
    """Above, own best rates by window; below, a row an optimiser and window size, a column a rate."""
    test = scores[scores["split"] == "test"]
    sizes = in_order(test["window"].unique())
    rows = [(window, optimizer) for window in sizes for optimizer in OPTIMIZERS]
    columns = max(test.loc[test["optimizer"] == name, "rate"].nunique() for name in OPTIMIZERS)
    columns = max(columns, len(sizes))
    ratios = {"height_ratios": [1.5, *(1 for _ in rows)]}
    figure, axes = style.panels(1 + len(rows), columns, height=1.3, sharex=True, gridspec_kw=ratios)
    grid = axes[0, 0].get_gridspec()
    for axis in axes[0]:
        axis.remove()
    step = columns // len(sizes)
    for i, window in enumerate(sizes):
        wide = figure.add_subplot(grid[0, i * step : (i + 1) * step])
        _panel(wide, test[(test["window"] == window) & test["chosen"]])
        wide.set_title(f"{row_name(window)}, own best rates")
        wide.set_ylabel("test accuracy" if i == 0 else "")
    for i, (window, optimizer) in enumerate(rows, 1):
        part = test[(test["window"] == window) & (test["optimizer"] == optimizer)]
        # Equal rates are of step 2; step 1 by SGD is shown at the rate that the held-out counts choose most often.
        part = part[(part["step1_rate"] == 0) | (part["step1_rate"] == _usual(test))]
        rates = sorted(part["rate"].unique())
        for axis, rate in zip(axes[i], rates, strict=False):
            _panel(axis, part[part["rate"] == rate])
            axis.set_title(f"{row_name(window)}, {OPTIMIZERS[optimizer]} {rate:g}")
        for axis in axes[i, len(rates) :]:
            axis.remove()
        axes[i, 0].set_ylabel("test accuracy")
    for axis in axes[-1, : len(rates)]:
        axis.set_xlabel("passes")
    style.finish(figure, columns=3)
    return figure


def _usual(test: pd.DataFrame) -> float:
    rates = test.loc[test["chosen"] & (test["step1_rate"] > 0), "step1_rate"]
    return float(rates.mode().iloc[0]) if len(rates) else 0.0


def _panel(axis: Axes, part: pd.DataFrame) -> None:
    curves = style.interval(part, ["estimator", "passes"], "accuracy")
    for estimator, look in looks_of(curves["estimator"]).items():
        style.band(axis, curves[curves["estimator"] == estimator], "passes", look, markersize=2)
    # What lies far below the rest within the first passes is left off.
    late = curves.loc[curves["passes"] >= 0.25, "mean"]
    axis.set_ylim(max(0.0, late.quantile(0.02) - 0.03), late.max() + 0.02)
    scale_passes(axis)
