"""Draw the study of consistency."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.papers.spread.palette import METHODS

PRIORS = {
    "true": "spread_true",
    "flat": "spread_flat",
    "learned": "spread_learned",
    "joint": "spread_joint",
    "none": "noisy",
}


def draw(scores: pd.DataFrame) -> Figure:
    """Error against n: factorised and correlated inputs, one column a noise level."""
    cases = [(inputs, p) for inputs in ("factorised", "correlated") for p in sorted(scores["p_flip"].unique())]
    figure, axes = style.panels(1, len(cases), height=2.4, sharey=True)
    for panel, (inputs, p_flip) in zip(axes[0], cases, strict=True):
        _curves(panel, scores[(scores["inputs"] == inputs) & (scores["p_flip"] == p_flip)])
        panel.set(title=f"{inputs}, flips {p_flip:g}", xlabel="observations n")
    axes[0, 0].set_ylabel("‖θ̂ − θ₀‖")
    style.legend(figure, axes[0, 0], columns=3)
    return figure


def _curves(axes: Axes, scores: pd.DataFrame) -> None:
    finite = scores[np.isfinite(scores["n"])]
    for prior, method in PRIORS.items():
        look = METHODS[method]
        errors = finite[finite["prior"] == prior].groupby("n")["error"]
        median = errors.median()
        low, high = errors.quantile(0.1), errors.quantile(0.9)
        style.band(axes, median.index, median, low, high, label=look.label, **look.line)
        limit = scores.loc[np.isinf(scores["n"]) & (scores["prior"] == prior), "error"].item()
        if limit > 1e-3:
            axes.axhline(limit, color=look.color, linewidth=0.6, linestyle=":")
    axes.set(xscale="log", yscale="log")
