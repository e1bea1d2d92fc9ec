"""Draw beam against exact: distance of the marginals and accuracy as training goes on, and the cost of exactness."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from unveil import style

METHODS = {"beam": "plain beam", "merged": "merged beam", "exact": "exact"}


def draw(scores: pd.DataFrame) -> Figure:
    """Left, total variation of each beam's marginals; middle, test accuracy; right, count vectors a window."""
    figure, axes = style.panels(2, 2, height=2.2)
    windows = sorted(scores["window"].unique(), key=lambda window: window or np.inf)
    looks = style.looks([_name(window) for window in windows])
    for axis, method in zip(axes[0], ("beam", "merged"), strict=True):
        _distances(axis, scores[scores["method"] == method], looks)
        axis.set_title(f"{METHODS[method]} of 500")
    axes[0, 0].set_ylabel("total variation\nfrom exact marginals")
    _accuracy(axes[1, 0], scores)
    _states(axes[1, 1], scores, windows)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(windows), title="window")
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


def _distances(axis: Axes, part: pd.DataFrame, looks: dict[str, dict[str, object]]) -> None:
    curves = style.interval(part.dropna(subset="total_variation"), ["window", "passes"], "total_variation")
    for window, curve in curves.groupby("window"):
        name = _name(int(str(window)))
        style.band(
            axis, curve["passes"], curve["mean"], curve["low"], curve["high"], label=name, **looks[name]
        )
    axis.set_xlabel("passes")
    axis.set_xscale("symlog", linthresh=0.1)
    axis.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.set_ylim(bottom=-0.01)


def _accuracy(axis: Axes, scores: pd.DataFrame) -> None:
    """After the last pass: what each inference is worth in accuracy, by window size."""
    last = scores[scores["passes"] == scores["passes"].max()].dropna(subset="accuracy")
    curves = style.interval(last, ["method", "window"], "accuracy")
    windows = sorted(curves["window"].unique(), key=lambda window: window or np.inf)
    for method, look in style.looks(METHODS).items():
        curve = curves[curves["method"] == method]
        place = [windows.index(window) for window in curve["window"]]
        half = (curve["high"] - curve["low"]) / 2
        axis.errorbar(place, curve["mean"], yerr=half, label=METHODS[method], capsize=2, **look)
    axis.set_xticks(range(len(windows)), [_name(window) for window in windows])
    axis.set_xlabel("window")
    axis.set_ylabel("test accuracy\nafter the last pass")
    axis.legend()


def _states(axis: Axes, scores: pd.DataFrame, windows: list[int]) -> None:
    costs = scores.groupby("window")[["states_median", "states_p90", "states_max"]].mean().loc[windows]
    for name, marker in {"states_median": "o", "states_p90": "s", "states_max": "^"}.items():
        label = {"states_median": "median", "states_p90": "90 % below", "states_max": "most"}[name]
        axis.plot(
            range(len(windows)), costs[name], marker=marker, color=style.INK, linewidth=0.8, label=label
        )
    axis.set_yscale("log")
    axis.set_xticks(range(len(windows)), [_name(window) for window in windows])
    axis.set_xlabel("window")
    axis.set_ylabel("count vectors a window")
    axis.legend()
