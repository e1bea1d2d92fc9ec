"""Draw figure 1."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.papers.spread.palette import METHODS

#: The smaller ones are drawn inside the larger ones.
SIZES = {"global": 5, "interior": 3, "em": 4}


def draw(scores: pd.DataFrame) -> Figure:
    """One panel a flip probability, and the probability at which interior maxima vanish."""
    levels = sorted(scores["p_flip"].unique())
    columns = (len(levels) + 2) // 2
    figure, axes = style.panels(2, columns, height=1.7)
    for panel, p_flip in zip(axes.flat, levels, strict=False):
        panel.plot([0, 1], [0, 1], color=style.MUTED, linewidth=0.7)
        for kind, size in SIZES.items():
            part = scores[(scores["p_flip"] == p_flip) & (scores["kind"] == kind)]
            look = {**METHODS[kind].line, "linestyle": "none", "fillstyle": "none", "markersize": size}
            panel.plot(part["theta0"], part["theta"], label=METHODS[kind].label, **look)
        panel.set(title=f"flips {p_flip:g}", xticks=[0, 0.5, 1], yticks=[0, 0.5, 1])
    for panel in axes[:, 0]:
        panel.set_ylabel("θ found")
    critical = scores.drop_duplicates("theta0").sort_values("theta0")
    last = axes.flat[len(levels)]
    last.plot(critical["theta0"], critical["critical_p_flip"], color=METHODS["interior"].color)
    last.set(title="interior maxima vanish", ylabel="flip probability", ylim=(0, None))
    for panel in axes[-1]:
        panel.set_xlabel("true θ₀")
    for panel in axes.flat[len(levels) + 1 :]:
        panel.set_axis_off()
    style.legend(figure, axes[0, 0], columns=3)
    return figure
