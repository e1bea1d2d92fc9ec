"""Draw beam against exact: distance of the marginals and accuracy as training goes on, and the cost of exactness."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style
from replication.palette import METHODS
from replication.papers.linear_moments.fig7.draw import in_order, row_name

#: How the posteriors of marginal likelihood are found, by the name in the scores.
INFERENCES = {
    "beam": METHODS["marginal_beam"],
    "merged": METHODS["marginal_merged"],
    "exact": METHODS["marginal_exact"],
}
#: Marker and label of what is drawn of the numbers of count vectors.
STATES = {"states_median": ("o", "median"), "states_p90": ("s", "90 % below"), "states_max": ("^", "most")}


def draw(scores: pd.DataFrame) -> Figure:
    """Above, total variation of each beam's marginals; below, test accuracy, and count vectors a window."""
    figure, axes = style.panels(2, 2, height=2.6)
    windows = in_order(scores["window"].unique())
    # Of smaller windows a beam holds all that there is.
    wide = [window for window in windows if window not in (1, 2)]
    looks = palette.scale(wide)
    axes[0, 1].sharey(axes[0, 0])
    for axis, method in zip(axes[0], ("beam", "merged"), strict=True):
        _distances(axis, scores[scores["method"] == method], wide, looks)
        axis.set_title(INFERENCES[method].label)
    style.label_ends(axes[0, 1])
    axes[0, 0].set_ylabel("total variation\nfrom exact marginals")
    _accuracy(axes[1, 0], scores, windows)
    _states(axes[1, 1], scores, windows)
    for axis in axes[1]:
        axis.set_xticks(range(len(windows)), [str(window or "all") for window in windows])
        axis.set_xlabel("words of the window (all: the sentence)")
    style.finish(figure)
    return figure


def table(scores: pd.DataFrame) -> pd.DataFrame:
    """Count vectors a window and what exact inference does for each pass over the windows."""
    names = ["states_median", "states_mean", "states_p90", "states_max", "transitions_mean"]
    costs = scores.groupby(["corpus", "window"])[names].mean().reset_index()
    costs = costs.iloc[np.argsort(costs["window"].replace(0, np.iinfo(np.int64).max), kind="stable")]
    return costs.assign(window=costs["window"].map(_name)).rename(
        columns={
            "states_median": "median states",
            "states_mean": "mean states",
            "states_p90": "90 % below",
            "states_max": "most states",
            "transitions_mean": "transitions a window",
        }
    )


def _name(window: int) -> str:
    return str(window) if window else "sentence"


def _distances(axis: Axes, part: pd.DataFrame, windows: list[int], looks: Mapping[object, palette.Method]) -> None:
    curves = style.interval(part.dropna(subset="total_variation"), ["window", "passes"], "total_variation")
    for window in windows:
        style.band(axis, curves[curves["window"] == window], "passes", looks[window], label=row_name(window))
    axis.set_xscale("symlog", linthresh=0.1)
    axis.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.set(xlabel="passes", yscale="log", ylim=(1e-5, 1))


def _accuracy(axis: Axes, scores: pd.DataFrame, windows: list[int]) -> None:
    """Early and late in training, what each inference is worth in accuracy, by window size."""
    known = scores.dropna(subset="accuracy")
    times = {known.loc[known["passes"] > 0, "passes"].min(): "--", known["passes"].max(): "-"}
    for at, dash in times.items():
        curves = style.interval(known[known["passes"] == at], ["method", "window"], "accuracy")
        for method, look in INFERENCES.items():
            curve = curves[curves["method"] == method].set_index("window").reindex(windows).dropna()
            place = [windows.index(window) for window in curve.index]
            named = look.label if dash == "-" else None
            style.bars(axis, place, curve, look, label=named, linestyle=dash, capsize=1.5, elinewidth=0.7)
        least = curves.loc[curves["mean"].idxmin()]
        lowest = windows.index(least["window"])
        side = "right" if lowest > len(windows) / 2 else "left"
        axis.annotate(f"after {at:g} passes", (lowest, least["mean"]), fontsize=style.SMALL, va="top", ha=side)
    axis.set_ylabel("test accuracy")


def _states(axis: Axes, scores: pd.DataFrame, windows: list[int]) -> None:
    costs = scores.groupby("window")[[*STATES]].mean().loc[windows]
    for name, (marker, label) in STATES.items():
        axis.plot(costs[name].to_numpy(), marker=marker, color=palette.INK, linewidth=0.8, label=label)
    axis.set(yscale="log", ylabel="count vectors per window")
    style.label_ends(axis)
