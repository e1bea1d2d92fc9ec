"""Draw figure 7: accuracy of both estimators and the ceiling against passes, by the size of the counted window."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.palette import METHODS

#: Moments with step 1 solved first and in one sweep, marginal likelihood by the paper's beam, and the ceiling.
SHOWN = ("moments_all", "moments_sgd_all", "marginal_beam", "supervised")
PANELS = (2, 5, 20, 0)
#: Points that lie lower are left off.
FLOOR = 0.3


def draw(scores: pd.DataFrame) -> Figure:
    """A panel a window size: test accuracy with markers, training accuracy thin."""
    own = scores[scores["corpus"] == "treebank"]
    windows = [window for window in in_order(own["window"].unique()) if window in PANELS]
    figure, axes = style.panels(1, len(windows), height=3.0, sharey=True)
    for axis, window in zip(axes[0], windows, strict=True):
        accuracies(axis, own[own["window"] == window])
        axis.set_title(row_name(window))
        axis.set_ylim(FLOOR, 1)
    style.label(axes, "passes", "accuracy per token")
    style.finish(figure)
    return figure


def accuracies(axes: Axes, scores: pd.DataFrame) -> None:
    """Curves of the estimators against passes, on the test sentences and thin on the training sentences."""
    curves = style.interval(scores, ["estimator", "split", "passes"], "accuracy").set_index(["estimator", "split"])
    for name in (name for name in SHOWN if (name, "test") in curves.index):
        look, test, train = METHODS[name], curves.loc[[(name, "test")]], curves.loc[[(name, "train")]]
        thin = {"linewidth": 0.9} if name == "supervised" else {}
        style.band(axes, test, "passes", look, markersize=0 if thin else 3, **thin)
        axes.plot(train["passes"], train["mean"], linewidth=0.5, **look.stroke)
    scale_passes(axes)


def in_order(windows: Iterable[int]) -> list[int]:
    """Small to large, whole sentences (0) last."""
    return sorted(map(int, windows), key=lambda window: window or np.inf)


def row_name(window: int) -> str:
    """What a window size is called."""
    return f"w = {window}" if window else "sentence"


def scale_passes(axes: Axes) -> None:
    """Passes on a logarithmic axis, as plain numbers."""
    style.log_axis(axes, (0.1, 1, 10))
