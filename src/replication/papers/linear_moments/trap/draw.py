"""Draw the traps: population log-marginals with the ends of EM, and the gap between the estimators against n."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style
from replication.judging.words import amount
from replication.palette import EXTREMA, METHODS

LANDSCAPE = "population log-marginal"


def draw(scores: pd.DataFrame) -> Figure:
    """A panel for each population with a spurious maximum, then the gaps."""
    traps = list(dict.fromkeys(scores.loc[scores["method"] == "em", "case"]))
    figure, axes = style.panels(1, len(traps) + 1, height=3.0)
    for panel, case in zip(axes[0], traps, strict=False):
        _landscape(panel, scores[scores["case"] == case])
        panel.set_title(case.replace("_", " "))
    _gaps(axes[0, -1], scores)
    style.finish(figure)
    return figure


def facts(scores: pd.DataFrame) -> dict[str, str]:
    """How far apart the limits are where a wrong S is believed."""
    trapped = set(scores.loc[scores["method"] == "em", "case"])
    wrong = scores[np.isinf(scores["n"]) & ~scores["case"].isin(trapped)].set_index("method")["theta"]
    return {"gap": amount(abs(wrong["moments"] - wrong["marginal"]))}


def _landscape(axes: Axes, scores: pd.DataFrame) -> None:
    exact = scores[np.isinf(scores["n"])].set_index("method")
    curve = exact.loc["curve"]
    axes.plot(curve["theta"], curve["objective"], color=METHODS["marginal"].color, label=LANDSCAPE)
    for kind, look in EXTREMA.items():
        points = exact.loc[[kind]]
        axes.plot(points["theta"], points["objective"], markersize=4, zorder=3, label=look.label, **look.line)
    moments, em = METHODS["moments"], METHODS["em"]
    axes.axvline(exact.loc["moments"]["theta"], color=moments.color, label=moments.label)
    ends = exact.loc["em"]
    bottom = curve["objective"].min() - 0.12 * np.ptp(curve["objective"])
    axes.plot(ends["start"], np.full(len(ends), bottom), ".", color=palette.MUTED, markersize=2)
    for start, theta in zip(ends["start"], ends["theta"], strict=True):
        heights = [bottom, bottom + 0.09 * np.ptp(curve["objective"])]
        axes.plot([start, theta], heights, color=em.color, linewidth=0.4, alpha=0.7)
    axes.plot([], [], color=em.color, linewidth=0.8, label=em.label)
    axes.set_xlabel("θ")


def _gaps(axes: Axes, scores: pd.DataFrame) -> None:
    """|θ_marg − θ_mom| against n on logarithmic axes, means and intervals of the logarithm."""
    sampled = scores[scores["trial"].notna()].rename(columns={"n": "records"})
    pairs = sampled.pivot_table(index=["case", "records", "trial"], columns="method", values="theta")
    gaps = np.log10((pairs["marginal"] - pairs["moments"]).abs()).rename("gap").reset_index()
    trapped = set(scores.loc[scores["method"] == "em", "case"])
    for case, look in palette.scale(sorted(gaps["case"].unique())).items():
        table = style.interval(gaps[gaps["case"] == case], ["records"], "gap").set_index("records")
        text = case.replace("_", " ") if case in trapped else "wrong S believed"
        style.band(axes, (10**table).reset_index(), "records", look, label=text)
    axes.set(xscale="log", yscale="log", xlabel="observations n", title="gap of the estimators")
    style.label_ends(axes, width=9)
