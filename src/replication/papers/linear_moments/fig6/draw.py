"""Draw figure 6: R² and skill against the privacy level, the α that skill takes, and skill against records."""

from collections.abc import Iterable
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style
from replication.palette import METHODS
from unveil.types import Array

TITLES = {
    "housing": "housing",
    "housing_sparse": "housing, sparse",
    "california": "California",
    "songs": "songs",
    "songs_subset": "songs subset",
}
PRIVATE, OPEN = ("moments_truncated", "moments_ridge"), ("least_squares", "constant")
FIRST = PRIVATE[0]
#: The lowest R² and skill that are shown; what lies below is cut off.
FLOOR = -0.4
TICKS = (0, 0.5, 1)


def draw(scores: pd.DataFrame) -> Figure:
    """A column a data set; rows: R², skill, the α that shares of least squares' skill take, and growing n."""
    datasets = [name for name in TITLES if name in set(scores["dataset"])]
    figure, axes = style.panels(4, len(datasets), height=1.55)
    for column, dataset in enumerate(datasets):
        own = scores[scores["dataset"] == dataset]
        axes[0, column].set_title(TITLES[dataset])
        levels = own[own["panel"] == "alpha"]
        raw = levels[~levels["centred"]]
        _against_level(axes[0, column], raw, "r2", "α (top: exact ε)")
        _ratio_axis(axes[0, column], raw, "epsilon")
        _against_level(axes[1, column], raw, "skill", "α (top: α/δ̄)" if raw["delta_bar"].notna().any() else "α")
        centred = levels[levels["centred"] & (levels["estimator"] == FIRST)]
        if len(centred):
            style.curve(axes[1, column], _with_end(centred), "alpha", "skill", METHODS["moments_centred"], markersize=2)
        if raw["delta_bar"].notna().any():
            _ratio_axis(axes[1, column], raw, "level")
        _reach(axes[2, column], own[own["panel"] == "reach"])
        _against_size(axes[3, column], own[~own["centred"]])
    style.label(axes, y=("test R²", "skill", "α that least\nsquares' skill takes", "skill"))
    style.finish(figure, columns=3)
    return figure


def _with_end(curves: pd.DataFrame) -> pd.DataFrame:
    """No privacy stands one step to the right of the largest finite level."""
    finite = np.sort(curves.loc[np.isfinite(curves["alpha"]), "alpha"].unique())
    return curves.assign(alpha=curves["alpha"].replace(np.inf, _end(finite)))


def _end(finite: Array) -> float:
    return float(finite[-1] * (finite[-1] / finite[0]) ** 0.2)


def _against_level(axes: Axes, scores: pd.DataFrame, value: str, label: str) -> None:
    curves = scores[scores["level"].notna()]
    finite = np.sort(curves.loc[np.isfinite(curves["alpha"]), "alpha"].unique())
    end = _end(finite)
    _curves(axes, _with_end(curves), "alpha", value)
    _levels(axes, scores, ("binarised", *OPEN), value)
    ticks = [tick for tick in 10.0 ** np.arange(-2, 6) if finite[0] <= tick <= finite[-1]]
    style.log_axis(axes, [*ticks, end], [*(f"$10^{{{round(np.log10(tick))}}}$" for tick in ticks), "∞"])
    axes.set_xlim(finite[0] / 1.6, end * 1.6)
    axes.set(xlabel=label, yticks=TICKS, ylim=(FLOOR, 1.25))


def _ratio_axis(axes: Axes, scores: pd.DataFrame, what: str) -> None:
    """On the top edge, what is a constant share of α: the exact level, or α/δ̄."""
    finite = scores[np.isfinite(scores["alpha"])]
    share = float((finite[what] / finite["alpha"]).median())
    low, high = share * finite["alpha"].min(), share * finite["alpha"].max()
    ticks = [tick for tick in 10.0 ** np.arange(-2, 5) if low <= tick <= high * 1.01]
    top = axes.secondary_xaxis("top", functions=(partial(np.multiply, share), partial(np.multiply, 1 / share)))
    # Long numbers would run into each other.
    top.set_xticks(ticks, [f"{tick:g}" if tick < 1000 else f"$10^{{{np.log10(tick):.0f}}}$" for tick in ticks])
    top.minorticks_off()
    # Inside, so that all panels of a row end at one height.
    top.tick_params(labelsize=6, pad=-8, length=0)


def _curves(axes: Axes, scores: pd.DataFrame, x: str, value: str) -> None:
    for estimator in PRIVATE:
        own = scores[scores["estimator"] == estimator]
        style.curve(axes, own, x, value, METHODS[estimator], markersize=2)


def _levels(axes: Axes, scores: pd.DataFrame, estimators: Iterable[str], value: str) -> None:
    for estimator in estimators:
        style.level(axes, scores.loc[scores["estimator"] == estimator, value].mean(), METHODS[estimator])


def _reach(axes: Axes, scores: pd.DataFrame) -> None:
    """Mean of log α over the trials with its interval; where some trial never gets there, an arrow on the edge."""
    raw = ~scores["centred"].astype(bool)
    kinds = {name: (METHODS[name], raw & (scores["estimator"] == name)) for name in PRIVATE}
    kinds["centred"] = METHODS["moments_centred"], ~raw & (scores["estimator"] == FIRST)
    shares = sorted(scores["share"].unique())
    finite = scores.loc[np.isfinite(scores["alpha"]), "alpha"]
    top = 10 * finite.max() if len(finite) else 10.0
    for (i, (look, chosen)), share in product(enumerate(kinds.values()), shares):
        part = scores[chosen & (scores["share"] == share)]
        place = shares.index(share) + 0.2 * (i - 1)
        if np.isinf(part["alpha"]).any():
            axes.plot([place], [top], marker=6, color=look.color, linestyle="none")
            continue
        table = style.interval(part.assign(log=np.log(part["alpha"])), ["share"], "log")
        if len(part):
            ends = table[["mean", "low", "high"]].apply(np.exp)
            style.bars(axes, [place], ends, look, label=None, capsize=2)
    axes.plot([], [], marker=6, color=palette.MUTED, linestyle="none", label="not reached in every trial")
    axes.set_yscale("log")
    axes.set_ylim((finite.min() if len(finite) else 1.0) / 3, 1.5 * top)
    axes.set_xticks(range(len(shares)), [f"{share:.0%}" for share in shares])
    axes.set_xlim(-0.5, len(shares) - 0.5)
    axes.minorticks_off()
    axes.set_xlabel("share of its skill")


def _against_size(axes: Axes, scores: pd.DataFrame) -> None:
    growing = scores[scores["panel"] == "n"]
    _curves(axes, growing, "n_train", "skill")
    _levels(axes, scores[scores["panel"] == "alpha"], OPEN, "skill")
    level, per_value = growing["level"].iloc[0], growing["delta_bar"].notna().any()
    axes.set_xscale("log")
    axes.set(xlabel=f"records ({'α/δ̄' if per_value else 'α'} = {level:g})", yticks=TICKS, ylim=(FLOOR, 1.1))
