"""Draw figure 6: R² against the privacy level, as it is and centred, and against the number of records."""

from collections.abc import Iterable
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.papers.linear_moments.palette import METHODS
from unveil.types import Array

TITLES = {"housing": "housing", "california": "California", "songs": "songs", "songs_subset": "songs subset"}
PRIVATE, OPEN = ("moments_truncated", "moments_ridge"), ("least_squares", "constant")
#: The lowest R² that each row shows; what lies below is cut off.
FLOORS = {False: -0.1, True: -0.4}
TICKS = (0, 0.5, 1)


def draw(scores: pd.DataFrame) -> Figure:
    """A column a data set; rows: uncentred, centred, growing n."""
    datasets = list(dict.fromkeys(scores["dataset"]))
    figure, axes = style.panels(3, len(datasets), height=1.75)
    for column, dataset in enumerate(datasets):
        own = scores[scores["dataset"] == dataset]
        axes[0, column].set_title(TITLES[dataset])
        for row, is_centred in enumerate((False, True)):
            shown = own[(own["centred"] == is_centred) & (own["panel"] == "alpha")]
            _against_level(axes[row, column], shown, FLOORS[is_centred])
        _against_size(axes[2, column], own[~own["centred"]])
    style.label(axes, y=("test R²", "test R², centred data", "test R²"))
    style.finish(figure, columns=5)
    return figure


def _against_level(axes: Axes, scores: pd.DataFrame, floor: float) -> None:
    curves = scores[scores["level"].notna()]
    finite = np.sort(curves.loc[np.isfinite(curves["alpha"]), "alpha"].unique())
    # No privacy stands one step to the right of the largest finite level.
    end = finite[-1] * (finite[-1] / finite[0]) ** 0.2
    _curves(axes, curves.assign(alpha=curves["alpha"].replace(np.inf, end)), "alpha")
    _levels(axes, scores, ("binarised", *OPEN))
    ticks = [tick for tick in 10.0 ** np.arange(-2, 6) if finite[0] <= tick <= finite[-1]]
    style.log_axis(axes, [*ticks, end], [*(f"$10^{{{round(np.log10(tick))}}}$" for tick in ticks), "∞"])
    axes.set_xlim(finite[0] / 1.6, end * 1.6)
    per_value = scores["delta_bar"].notna().any()
    axes.set(xlabel="α", yticks=TICKS, ylim=(floor, 1.25 if per_value else 1.03))
    if per_value:
        _ratio_axis(axes, scores["delta_bar"].max(), finite)


def _ratio_axis(axes: Axes, delta_bar: float, finite: Array) -> None:
    """α/δ̄ on the top edge: per-value results depend on nothing else."""
    ratios = [ratio for ratio in 10.0 ** np.arange(-1, 3) if finite[0] <= ratio * delta_bar <= finite[-1] * 1.01]
    top = axes.secondary_xaxis("top", functions=(partial(np.multiply, 1 / delta_bar), partial(np.multiply, delta_bar)))
    top.set_xticks(ratios, [f"{ratio:g}" for ratio in ratios])
    top.minorticks_off()
    # Inside, so that all panels of a row end at one height.
    top.tick_params(labelsize=6, pad=-8, length=2, direction="in")
    axes.annotate("α/δ̄", (1.0, 1.0), xycoords="axes fraction", xytext=(1, -6), textcoords="offset points", fontsize=6)


def _curves(axes: Axes, scores: pd.DataFrame, x: str) -> None:
    for estimator in PRIVATE:
        style.curve(axes, scores[scores["estimator"] == estimator], x, "r2", METHODS[estimator])


def _levels(axes: Axes, scores: pd.DataFrame, estimators: Iterable[str]) -> None:
    for estimator in estimators:
        style.level(axes, scores.loc[scores["estimator"] == estimator, "r2"].mean(), METHODS[estimator])


def _against_size(axes: Axes, scores: pd.DataFrame) -> None:
    growing = scores[scores["panel"] == "n"]
    _curves(axes, growing, "n_train")
    _levels(axes, scores[scores["panel"] == "alpha"], OPEN)
    level, per_value = growing["level"].iloc[0], growing["delta_bar"].notna().any()
    axes.set_xscale("log")
    label = f"records, at {'α/δ̄' if per_value else 'α'} = {level:g}"
    axes.set(xlabel=label, yticks=TICKS, ylim=(FLOORS[False], 1.03))
