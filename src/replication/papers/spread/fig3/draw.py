"""Draw figure 3."""

from itertools import cycle, pairwise

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.papers.spread.palette import METHODS

PAPER = ["clean", "noisy", "spread_flat", "spread_learned", "spread_true"]
STRONG = ["noisy_l2_centred", "class_means", "spread_centred"]
#: What the estimator without a peek is held against: (method, whether at every number of iterations).
RIVALS = [("noisy", True), ("noisy_l2_centred", False), ("class_means", False), ("spread_true", False)]


def draw(scores: pd.DataFrame) -> Figure:
    """Accuracy of the paper's methods, of the strong baselines, and paired differences."""
    figure, axes = style.panels(1, 3, height=2.8)
    last = scores["iterations"].max()
    for panel, methods in ((axes[0, 0], PAPER), (axes[0, 1], ["spread_flat", *STRONG])):
        for method in methods:
            rows = scores[(scores["method"] == method) & (scores["iterations"] == last)]
            style.curve(panel, rows, "p_flip", "accuracy", METHODS[method])
        panel.set(xlabel="flip probability", xticks=sorted(scores["p_flip"].unique()))
    axes[0, 0].set(
        ylabel="accuracy on clean digits", title="the paper's methods", ylim=(max(axes[0, 0].get_ylim()[0], 0.5), 1)
    )
    axes[0, 1].set(title="baselines it lacks", ylim=axes[0, 0].get_ylim())
    _differences(axes[0, 2], scores)
    style.finish(figure)
    return figure


def _differences(axes: Axes, scores: pd.DataFrame) -> None:
    """Learned-prior spread less each rival, same trial and same iterations, mean with a 95 % t-interval."""
    wide = scores.pivot_table(index=["p_flip", "iterations", "trial"], columns="method", values="accuracy")
    counts = sorted(scores["iterations"].unique())
    pairs = [(rival, count) for rival, every in RIVALS for count in (counts if every else counts[-1:])]
    levels = sorted(scores["p_flip"].unique())
    width = 0.7 * (min(b - a for a, b in pairwise(levels)) if len(levels) > 1 else 0.1)
    markers, reach = cycle("<>s"), 0.02
    for i, (rival, count) in enumerate(pairs):
        lead = (wide["spread_learned"] - wide[rival]).rename("lead").reset_index()
        table = style.interval(lead[lead["iterations"] == count], ["p_flip"], "lead")
        places = table["p_flip"] + width * (i / (len(pairs) - 1) - 0.5)
        reach = max(reach, float(table["high"].abs().max()), float(table["low"].abs().max()))
        look = METHODS[rival]
        steps = {"marker": next(markers), "label": f"{look.label}, {count} steps"} if rival == "noisy" else {}
        style.bars(axes, places, table, look, **steps)
    axes.axhline(0, color=style.INK, linewidth=0.8)
    # With two trials an interval says nothing and would hide all else.
    axes.set_ylim(-min(1.05 * reach, 0.2), min(1.05 * reach, 0.2))
    axes.set(xlabel="flip probability", xticks=levels, title="learned prior against …", ylabel="lead in accuracy")
