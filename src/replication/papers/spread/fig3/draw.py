"""Draw figure 3."""

from __future__ import annotations

from itertools import cycle, pairwise

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style

PAPER = ["clean", "noisy", "spread_flat", "spread_learned", "spread_true"]
STRONG = ["noisy_l2_centred", "class_means", "spread_centred"]
LABELS = {
    "clean": "clean data",
    "noisy": "noisy data",
    "spread_flat": "spread, flat prior",
    "spread_learned": "spread, learned prior",
    "spread_true": "spread, true prior (peeks)",
    "noisy_l2_centred": "noisy, centred, tuned L2",
    "class_means": "class means",
    "spread_centred": "spread, flat prior, centred",
}
#: What the estimator without a peek is held against: (method, whether at every number of iterations).
RIVALS = [("noisy", True), ("noisy_l2_centred", False), ("class_means", False), ("spread_true", False)]


def draw(scores: pd.DataFrame) -> Figure:
    """Accuracy of the paper's methods, of the strong baselines, and paired differences."""
    figure, axes = style.panels(1, 3, height=3.2)
    last = scores["iterations"].max()
    looks = style.looks(LABELS)
    for panel, methods in ((axes[0, 0], PAPER), (axes[0, 1], ["spread_flat", *STRONG])):
        for method in methods:
            _curve(
                panel, scores[(scores["method"] == method) & (scores["iterations"] == last)], looks[method]
            )
        panel.set(xlabel="flip probability", xticks=sorted(scores["p_flip"].unique()))
    axes[0, 0].set(
        ylabel="accuracy on clean digits",
        title="the paper's methods",
        ylim=(max(axes[0, 0].get_ylim()[0], 0.5), 1),
    )
    axes[0, 1].set(title="baselines it lacks", ylim=axes[0, 0].get_ylim())
    _differences(axes[0, 2], scores)
    style.letter(axes)
    handles = {line.get_label(): line for panel in axes[0, :2] for line in panel.get_lines()}
    labels = [LABELS[method] for method in LABELS if LABELS[method] in handles]
    figure.legend([handles[label] for label in labels], labels, loc="outside upper center", ncols=4)
    # Below its own panel: inside there is no corner that is free at every scale.
    axes[0, 2].legend(loc="upper center", bbox_to_anchor=(0.45, -0.19), ncols=2, fontsize=6, columnspacing=1)
    return figure


def _curve(axes: Axes, scores: pd.DataFrame, look: dict[str, object]) -> None:
    table = style.interval(scores, ["p_flip"], "accuracy")
    label = LABELS[scores["method"].iloc[0]]
    style.band(axes, table["p_flip"], table["mean"], table["low"], table["high"], label=label, **look)


def _differences(axes: Axes, scores: pd.DataFrame) -> None:
    """Learned-prior spread less each rival, same trial and same iterations, mean with a 95 % t-interval."""
    wide = scores.pivot_table(index=["p_flip", "iterations", "trial"], columns="method", values="accuracy")
    counts = sorted(scores["iterations"].unique())
    pairs = [(rival, count) for rival, every in RIVALS for count in (counts if every else counts[-1:])]
    levels = sorted(scores["p_flip"].unique())
    width = 0.7 * (min(b - a for a, b in pairwise(levels)) if len(levels) > 1 else 0.1)
    looks, markers = style.looks(LABELS), cycle("v^s")
    reach = 0.02
    for i, (rival, count) in enumerate(pairs):
        lead = (wide["spread_learned"] - wide[rival]).rename("lead").reset_index()
        table = style.interval(lead[lead["iterations"] == count], ["p_flip"], "lead")
        places = table["p_flip"] + width * (i / (len(pairs) - 1) - 0.5)
        bars = [table["mean"] - table["low"], table["high"] - table["mean"]]
        reach = max(reach, float(table["high"].abs().max()), float(table["low"].abs().max()))
        look, label = {**looks[rival], "linestyle": "none"}, LABELS[rival]
        if rival == "noisy":
            look, label = {**look, "marker": next(markers)}, f"{label}, {count} steps"
        axes.errorbar(places, table["mean"], yerr=bars, label=label, **look)
    axes.axhline(0, color=style.INK, linewidth=0.8)
    # With two trials an interval says nothing and would hide all else.
    axes.set_ylim(-min(1.05 * reach, 0.2), min(1.05 * reach, 0.2))
    axes.set(
        xlabel="flip probability", xticks=levels, title="learned prior against …", ylabel="lead in accuracy"
    )
