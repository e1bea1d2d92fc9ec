"""Draw the study of other divergences."""

from itertools import product

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.judging.words import amount
from replication.papers.spread.palette import METHODS
from replication.papers.spread.panels import estimates, truth

DIVERGENCES = ("kl", "hellinger", "neyman", "jensen_shannon", "total_variation", "one_sided_square")


def draw(scores: pd.DataFrame) -> Figure:
    """Where each divergence ends against the truth, for one observation at a time; two and three states."""
    levels = sorted(scores["p_flip"].unique())
    figure, axes = style.panels(2, 3, height=2.2, used=2 * len(levels) + 1, sharey=True)
    exact = scores[np.isinf(scores["n"]) & (scores["target"] == "datum")]
    for panel, (states, p_flip) in zip(axes.flat, product((2, 3), levels), strict=False):
        _curves(panel, exact[(exact["p_flip"] == p_flip) & (exact["states"] == states)])
        panel.set_title(f"{'two' if states == 2 else 'three'} states, flips {p_flip:g}")
    _spread(axes.flat[2 * len(levels)], scores[scores["p_flip"] == levels[-1]])
    for panel in axes.flat[: 2 * len(levels) + 1]:
        panel.set(xlabel="true θ₀", xticks=[0, 0.5, 1])
    for row in axes:
        row[0].set_ylabel("θ found")
    style.finish(figure, columns=4)
    return figure


def facts(scores: pd.DataFrame) -> dict[str, str]:
    """The largest distance from the truth of each divergence's limit, held against single observations."""
    own = scores[np.isinf(scores["n"]) & (scores["target"] == "datum") & (scores["divergence"] != "kl")]
    worst = (own["theta"] - own["theta0"]).abs().groupby(own["divergence"], sort=False).max()
    named = {name: METHODS[name].label if name in METHODS else str(name).replace("_", " ") for name in worst.index}
    return {"worst": ", ".join(f"{amount(value)} ({named[name]})" for name, value in worst.items())}


def _curves(axes: Axes, scores: pd.DataFrame) -> None:
    truth(axes)
    for name in DIVERGENCES:
        part = scores[scores["divergence"] == name].sort_values("theta0")
        every = max(1, len(part) // 8)
        axes.plot(part["theta0"], part["theta"], label=METHODS[name].label, markevery=every, **METHODS[name].line)


def _spread(axes: Axes, scores: pd.DataFrame) -> None:
    """Samples of the largest finite size, held against frequencies: all divergences agree."""
    finite = scores[np.isfinite(scores["n"]) & (scores["target"] == "frequencies")]
    finite = finite[finite["n"] == finite["n"].max()]
    offsets = {name: 0.015 * (i - 2.5) for i, name in enumerate(DIVERGENCES)}
    estimates(axes, finite, "divergence", offsets, "theta0", "theta")
    axes.set_title(f"frequencies, n = {finite['n'].iloc[0]:,.0f}")
