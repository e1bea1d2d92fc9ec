"""Draw the steps of both estimators from a sample, as in figure 4, and enlarged."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from replication import palette, style
from replication.palette import METHODS
from replication.papers.linear_moments.fig4.draw import place, simplex

POINTS = {
    "truth": palette.Method("the data's distribution", palette.INK, "*"),
    "preimage": palette.Method("S†q̂", palette.MUTED, "D"),
    "relaxation": palette.Method("r̂, closest in the simplex", palette.MUTED, "^"),
    "moments": METHODS["moments"],
    "marginal": METHODS["marginal"],
}


def draw(scores: pd.DataFrame) -> Figure:
    """Left: where the sample's equations meet; right: the neighbourhood of its estimates."""
    figure, axes = style.panels(1, 2, height=3.2)
    points = {name: place(scores[scores["curve"] == name])[0] for name in POINTS}
    close = np.array(list(points.values()))
    middle, reach = (close.min(axis=0) + close.max(axis=0)) / 2, 0.8 * np.ptp(close, axis=0).max()
    for panel, title in zip(axes[0], ("a sample", "enlarged"), strict=True):
        simplex(panel, scores, "equation")
        panel.set_title(title)
        for name, look in POINTS.items():
            panel.plot(*points[name], label=look.label, zorder=3, markersize=6, **look.marks)
    axes[0, 0].set(xlim=(-0.3, 1.35), ylim=(-0.3, 1.0))
    axes[0, 1].set(xlim=middle[0] + reach * np.array([-1, 1]), ylim=middle[1] + reach * np.array([-1, 1]))
    axes[0, 0].indicate_inset([*(middle - reach), 2 * reach, 2 * reach], edgecolor=palette.MUTED)
    style.finish(figure)
    return figure
