"""Draw figure 7: accuracy against passes, a row a window size, train and test of each corpus side by side."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.papers.linear_moments.palette import METHODS

#: The estimators with a curve, in the order of the legend.
ESTIMATORS = ("supervised", "marginal_exact", "marginal_merged", "marginal_beam", "moments", "moments_features")
CORPORA = {"treebank": "Treebank", "ewt": "EWT"}


def draw(scores: pd.DataFrame) -> Figure:
    """Bands are 95 % intervals over the trials; dotted, the moments with their first step's passes counted."""
    windows = in_order(scores["window"].unique())
    columns = [(corpus, split) for corpus in scores["corpus"].unique()[::-1] for split in ("train", "test")]
    figure, axes = style.panels(len(windows), len(columns), height=1.35, sharex=True, sharey="row")
    by = ["corpus", "window", "estimator", "split", "passes"]
    curves = style.interval(scores, by, "accuracy")
    effort = scores.groupby(["corpus", "window", "estimator"])["step1_passes"].mean()
    for i, window in enumerate(windows):
        for j, (corpus, split) in enumerate(columns):
            part = curves[(curves["corpus"] == corpus) & (curves["window"] == window) & (curves["split"] == split)]
            _panel(axes[i, j], part.set_index("estimator"), effort.loc[corpus, window])
            if i == 0:
                axes[i, j].set_title(f"{CORPORA[corpus]}, {split}")
        _limit(axes[i, 0], curves[curves["window"] == window])
    style.label(axes, "passes", [f"{row_name(window)}\naccuracy" for window in windows])
    style.finish(figure)
    return figure


def in_order(windows: Iterable[int]) -> list[int]:
    """Small to large, whole sentences (0) last."""
    return sorted(map(int, windows), key=lambda window: window or np.inf)


def row_name(window: int) -> str:
    """What stands beside a row of panels."""
    return f"w = {window}" if window else "sentence"


def add_dotted(axis: Axes, estimator: str, passes: pd.Series, accuracy: pd.Series) -> None:
    """An estimator's accuracy with other passes counted."""
    axis.plot(passes, accuracy, color=METHODS[estimator].color, linestyle=":", linewidth=1)


def scale_passes(axis: Axes, dotted: str) -> None:
    """Passes on a logarithmic axis, as plain numbers, and what dots mean."""
    style.log_axis(axis, (0.1, 0.3, 1, 3, 10, 30))
    axis.plot([], [], color=style.MUTED, linestyle=":", label=dotted)


def _panel(axis: Axes, part: pd.DataFrame, effort: pd.Series) -> None:
    for estimator in ESTIMATORS:
        if estimator in part.index:
            curve = part.loc[[estimator]]
            style.band(axis, curve, "passes", METHODS[estimator], markersize=2)
            if effort[estimator] > 0:
                add_dotted(axis, estimator, curve["passes"] + effort[estimator], curve["mean"])
    floor = part.loc[["most_frequent"], "mean"].iloc[0]
    text = f"{METHODS['most_frequent'].label}: {floor:.2f}"
    axis.text(0.02, 0.98, text, transform=axis.transAxes, va="top", fontsize=5.5, color=style.MUTED)
    scale_passes(axis, "passes of step 1 counted too")


def _limit(axes: Axes, curves: pd.DataFrame) -> None:
    """Leave the floor off the axis, and of the first tenth of a pass whatever lies far below the rest."""
    learned = curves[curves["estimator"] != "most_frequent"]
    low, high = learned.loc[learned["passes"] >= 0.25, "mean"].min(), learned["mean"].max()
    axes.set_ylim(max(0.0, low - 0.05), high + 0.2 * (high - low + 0.05))
