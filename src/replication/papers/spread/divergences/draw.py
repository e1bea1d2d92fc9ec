"""Draw the study of other divergences."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.judging.words import amount
from replication.palette import METHODS
from replication.papers.spread.panels import estimates, truth

DIVERGENCES = ("kl", "hellinger", "neyman", "jensen_shannon", "total_variation", "one_sided_square")


def draw(scores: pd.DataFrame) -> Figure:
    """Where each divergence ends against the truth, for one observation at a time; two and three states."""
    levels = sorted(scores["p_flip"].unique())
    columns = len(levels) + 1
    figure, axes = style.panels(2, columns, height=2.3, used=2 * columns - 1, sharey=True)
    exact = scores[np.isinf(scores["n"]) & (scores["target"] == "datum")]
    for row, (states, word) in zip(axes, ((2, "two"), (3, "three")), strict=True):
        for panel, p_flip in zip(row, levels, strict=False):
            _curves(panel, exact[(exact["p_flip"] == p_flip) & (exact["states"] == states)])
            panel.set_title(f"{word} states, flips {p_flip:g}")
    _spread(axes[0, -1], scores[scores["p_flip"] == levels[-1]])
    style.label(axes, "true θ₀", "θ found")
    axes[0, 0].text(0.55, 0.42, METHODS["truth"].label, color=METHODS["truth"].color)
    style.finish(figure)
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
