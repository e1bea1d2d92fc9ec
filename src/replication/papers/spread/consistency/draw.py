"""Draw the study of consistency."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.palette import METHODS

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
    figure, axes = style.panels(2, len(cases) // 2, height=2.3, sharex=True, sharey=True)
    for panel, (inputs, p_flip) in zip(axes.flat, cases, strict=True):
        _curves(panel, scores[(scores["inputs"] == inputs) & (scores["p_flip"] == p_flip)])
        panel.set_title(f"{inputs} inputs, flips {p_flip:g}")
    style.label(axes, "observations n", "‖θ̂ − θ₀‖")
    style.finish(figure, columns=3)
    return figure


def _curves(axes: Axes, scores: pd.DataFrame) -> None:
    finite = scores[np.isfinite(scores["n"])]
    for prior, method in PRIORS.items():
        look = METHODS[method]
        errors = finite[finite["prior"] == prior].groupby("n")["error"]
        table = pd.DataFrame({"mean": errors.median(), "low": errors.quantile(0.1), "high": errors.quantile(0.9)})
        style.band(axes, table.reset_index(), "n", look)
        limit = scores.loc[np.isinf(scores["n"]) & (scores["prior"] == prior), "error"].item()
        if limit > 1e-3:
            axes.axhline(limit, color=look.color, linewidth=0.6, linestyle=":")
    axes.set(xscale="log", yscale="log")
