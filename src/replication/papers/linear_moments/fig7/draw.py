"""Draw figure 7: accuracy against passes, a row a window size, train and test of each corpus side by side."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullFormatter

from replication import style

NAMES = {
    "supervised": "supervised (same windows)",
    "marginal_exact": "marginal, exact",
    "marginal_merged": "marginal, exact or merged beam",
    "marginal_beam": "marginal, plain beam",
    "moments": "moments",
    "moments_features": "moments on features",
}
CORPORA = {"treebank": "Treebank", "ewt": "EWT"}
LOOKS = style.looks(NAMES)


def draw(scores: pd.DataFrame) -> Figure:
    """Bands are 95 % intervals over the trials; dotted, the moments with their first step's passes counted."""
    windows = sorted(scores["window"].unique(), key=lambda window: window or np.inf)
    columns = [(corpus, split) for corpus in scores["corpus"].unique()[::-1] for split in ("train", "test")]
    figure, axes = style.panels(len(windows), len(columns), height=1.35, sharex=True, sharey="row")
    by = ["corpus", "window", "estimator", "split", "passes"]
    curves = style.interval(scores, by, "accuracy")
    effort = scores.groupby(["corpus", "window", "estimator"])["step1_passes"].mean()
    for i, window in enumerate(windows):
        for j, (corpus, split) in enumerate(columns):
            part = curves[
                (curves["corpus"] == corpus) & (curves["window"] == window) & (curves["split"] == split)
            ]
            _panel(axes[i, j], part.set_index("estimator"), effort.loc[corpus, window])
            if i == 0:
                axes[i, j].set_title(f"{CORPORA.get(corpus, corpus)}, {split}")
        axes[i, 0].set_ylabel(f"w = {window}\naccuracy" if window else "sentence\naccuracy")
        _limit(axes[i], curves[curves["window"] == window])
    for axis in axes[-1]:
        axis.set_xlabel("passes")
    _legend(figure)
    return figure


def _panel(axis: Axes, part: pd.DataFrame, effort: pd.Series) -> None:
    for estimator in NAMES:
        if estimator not in part.index:
            continue
        curve = part.loc[[estimator]]
        look = LOOKS[estimator]
        style.band(axis, curve["passes"], curve["mean"], curve["low"], curve["high"], markersize=2, **look)
        if effort[estimator] > 0:
            axis.plot(
                curve["passes"] + effort[estimator],
                curve["mean"],
                color=look["color"],
                linestyle=":",
                linewidth=0.9,
            )
    floor = part.loc[["most_frequent"], "mean"].iloc[0]
    text = f"most frequent tag: {floor:.2f}"
    axis.text(0.02, 0.98, text, transform=axis.transAxes, va="top", fontsize=5.5, color=style.MUTED)
    axis.set_xscale("log")
    axis.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.xaxis.set_minor_formatter(NullFormatter())


def _limit(axes: np.ndarray, curves: pd.DataFrame) -> None:
    """Leave the floor off the axis, and of the first tenth of a pass whatever lies far below the rest."""
    learned = curves[curves["estimator"] != "most_frequent"]
    low, high = learned.loc[learned["passes"] >= 0.25, "mean"].min(), learned["mean"].max()
    axes[0].set_ylim(max(0.0, low - 0.05), high + 0.2 * (high - low + 0.05))


def _legend(figure: Figure) -> None:
    handles = [Line2D([], [], label=label, **LOOKS[name]) for name, label in NAMES.items()]
    handles.append(Line2D([], [], color=style.MUTED, linestyle=":", label="passes of step 1 counted too"))
    figure.legend(handles=handles, loc="outside upper center", ncols=3)
