"""Draw the study of other divergences."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.papers.spread.palette import METHODS

DIVERGENCES = ("kl", "hellinger", "neyman", "jensen_shannon", "total_variation")


def draw(scores: pd.DataFrame) -> Figure:
    """Where each divergence ends against the truth, for one observation at a time and for frequencies."""
    levels = sorted(scores["p_flip"].unique())
    figure, axes = style.panels(1, len(levels) + 1, height=2.3)
    exact = scores[np.isinf(scores["n"])]
    for panel, p_flip in zip(axes[0], levels, strict=False):
        _curves(panel, exact[(exact["p_flip"] == p_flip) & (exact["target"] == "datum")])
        panel.set_title(f"flips {p_flip:g}")
    _spread(axes[0, -1], scores[scores["p_flip"] == levels[-1]])
    axes[0, 0].set_ylabel("θ found")
    style.legend(figure, axes[0, 0], columns=6)
    return figure


def _curves(axes: Axes, scores: pd.DataFrame) -> None:
    axes.plot([0, 1], [0, 1], color=style.MUTED, linewidth=0.7, label="truth")
    for name in DIVERGENCES:
        part = scores[scores["divergence"] == name].sort_values("theta0")
        axes.plot(part["theta0"], part["theta"], label=METHODS[name].label, **METHODS[name].line)
    axes.set_xlabel("true θ₀")


def _spread(axes: Axes, scores: pd.DataFrame) -> None:
    """Samples of the largest finite size, held against frequencies: all divergences agree."""
    finite = scores[np.isfinite(scores["n"]) & (scores["target"] == "frequencies")]
    finite = finite[finite["n"] == finite["n"].max()]
    axes.plot([0, 1], [0, 1], color=style.MUTED, linewidth=0.7)
    for i, name in enumerate(DIVERGENCES):
        found = finite[finite["divergence"] == name].groupby("theta0")["theta"]
        middle = found.mean()
        bars = [middle - found.quantile(0.025), found.quantile(0.975) - middle]
        look = {**METHODS[name].line, "linestyle": "none"}
        axes.errorbar(middle.index + 0.02 * (i - 2), middle, yerr=bars, elinewidth=0.8, **look)
    axes.set(xlabel="true θ₀", title=f"frequencies, n = {finite['n'].iloc[0]:,.0f}")
