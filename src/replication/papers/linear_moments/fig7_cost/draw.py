"""Draw accuracy against computing: every arm's curve, and which estimator is best at which budget."""

from itertools import pairwise

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.palette import Method, looks_of
from replication.papers.linear_moments.fig7.draw import in_order, row_name


def draw(scores: pd.DataFrame) -> Figure:
    """A column a window size; the line below each panel is that of the best estimator at each budget."""
    windows = in_order(scores["window"].unique())
    ratios = {"height_ratios": [6, 1]}
    figure, axes = style.panels(2, len(windows), height=1.6, sharex="col", gridspec_kw=ratios)
    for j, window in enumerate(windows):
        own = scores[scores["window"] == window]
        table = style.interval(own, ["estimator", "passes"], "accuracy")
        table["work"] = own.groupby(["estimator", "passes"])["work"].mean().to_numpy()
        looks = looks_of(table["estimator"])
        curves = {name: table[table["estimator"] == name] for name in looks}
        for name, curve in curves.items():
            style.band(axes[0, j], curve, "work", looks[name], markersize=2)
        late = table.loc[table["passes"] >= 0.25, "mean"]
        axes[0, j].set(xscale="log", title=row_name(window), ylim=(late.min() - 0.02, table["mean"].max() + 0.02))
        _best(axes[1, j], curves, looks)
    style.label(axes, "work (numbers changed)", ["test accuracy", "best"])
    style.finish(figure, columns=3)
    return figure


def _best(axes: Axes, curves: dict[str, pd.DataFrame], looks: dict[str, Method]) -> None:
    """At each budget the estimator that is most accurate by then, on the mean over trials."""
    low, high = (getattr(pd.concat(curves.values())["work"], what)() for what in ("min", "max"))
    budgets = np.geomspace(low, high, 120)
    names = list(curves)
    reached = np.array([reach(curves[name], budgets) for name in names])
    known = np.isfinite(reached).any(axis=0)
    best = np.where(known, np.nan_to_num(reached, nan=-1).argmax(axis=0), -1)[:-1]
    ends = np.flatnonzero(np.diff(best, prepend=-2, append=-2))
    for first, last in pairwise(ends):
        if best[first] >= 0:
            look, span = looks[names[best[first]]], (budgets[first], budgets[last])
            axes.plot(span, (0, 0), linewidth=2.5, solid_capstyle="butt", dash_capstyle="butt", **look.stroke)
            axes.plot(np.sqrt(span[0] * span[1]), 0, marker=look.marker, color=look.color, markersize=5)
    axes.set(yticks=[], xscale="log")
    axes.grid(visible=False)


def reach(curve: pd.DataFrame, budgets: np.ndarray) -> np.ndarray:
    """The accuracy at the last evaluation that a budget allows; missing before the first."""
    ordered = curve.sort_values("work")
    last = np.searchsorted(ordered["work"], budgets, side="right") - 1
    return np.where(last >= 0, ordered["mean"].to_numpy()[np.maximum(last, 0)], np.nan)
