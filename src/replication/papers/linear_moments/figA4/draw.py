"""Draw what the two schemes of appendix A.4 cost, and at which density of the statistics they cost the same."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style
from replication.palette import METHODS

SCHEMES = ("coordinate", "per_value")
CROSSOVER = palette.Method("both cost the same", palette.MUTED, "", ":")
SQUARE_ROOT = palette.Method("√d", palette.FAINT, "")


def draw(scores: pd.DataFrame) -> Figure:
    """Left: tr H against δ̄, at equal nominal α and at equal actual privacy; right: where the schemes cross."""
    figure, axes = style.panels(2, 2, height=2.5)
    shown = scores[scores["d"] == at(scores["d"], 0.5)]
    binary = fullest(shown)[lambda rows: rows["size"] == rows["size"].max()]
    for row, form, meeting, title in (
        (axes[0], "exact", "crossover", "equal nominal α"),
        (axes[1], "actual", "crossover_actual", "equal actual ε"),
    ):
        _traces(row[0], binary, form, meeting, title)
        _crossover(row[1], scores, meeting, title)
    style.label(axes[:, :1], "δ̄, statistics that are not zero")
    style.finish(figure)
    return figure


def at(values: pd.Series, quantile: float) -> float:
    """The member of the grid that stands at a share of its length."""
    unique = sorted(values.unique())
    return float(unique[int(quantile * len(unique))])


def fullest(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows in which every statistic that may be non-zero is."""
    share = scores["mean_norm"] / (scores["delta_bar"] * scores["size"])
    return scores[np.isclose(share, share.max())]


def _traces(axes: Axes, scores: pd.DataFrame, form: str, meeting: str, title: str) -> None:
    alpha = at(scores["alpha"], 0.5)
    for scheme in SCHEMES:
        chosen = scores["scheme"].eq(scheme) & scores["form"].eq(form) & scores["alpha"].eq(alpha)
        curve = scores[chosen].sort_values("delta_bar")
        axes.plot(curve["delta_bar"], curve["trace"], label=METHODS[scheme].label, **METHODS[scheme].line)
    axes.axvline(
        float(scores.loc[scores["alpha"].eq(alpha), meeting].iloc[0]), label=CROSSOVER.label, **CROSSOVER.stroke
    )
    axes.set(xscale="log", yscale="log", title=f"{title} = {alpha:g}, d = {scores['d'].iloc[0]}", ylabel="cost tr H")


def _crossover(axes: Axes, scores: pd.DataFrame, which: str, title: str) -> None:
    full = scores[np.isclose(scores["mean_norm"], scores["delta_bar"]) & np.isfinite(scores[which])]
    full = full.drop_duplicates(["d", "alpha"]).sort_values("d")
    levels = sorted(full["alpha"].unique())
    for alpha, look in palette.scale(levels[:: max(1, len(levels) // 3)], "{:g}").items():
        curve = full[full["alpha"] == alpha]
        axes.plot(curve["d"], curve[which], label=look.label, **look.line)
    d = np.array(sorted(full["d"].unique()))
    axes.plot(d, np.sqrt(d), linewidth=4, zorder=1, label=SQUARE_ROOT.label, color=SQUARE_ROOT.color)
    axes.set(xscale="log", yscale="log", ylim=(0.9, 2 * max(full[which].max(), 2)))
    axes.set(xlabel="d, statistics in all", ylabel="δ̄ at equal cost", title=f"where they meet, by {title.split()[-1]}")
    style.label_ends(axes)
