"""Draw figure 1."""

import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.judging.words import amount
from replication.palette import METHODS
from replication.papers.spread.panels import truth

#: Many points make curves; what lies on top is smaller.
SIZES = {"global": 2.5, "interior": 1.6}


def draw(scores: pd.DataFrame) -> Figure:
    """One panel a flip probability, and the probability at which interior maxima vanish."""
    levels = sorted(scores["p_flip"].unique())
    columns = (len(levels) + 2) // 2
    figure, axes = style.panels(2, columns, height=1.8)
    for panel, p_flip in zip(axes.flat, levels, strict=False):
        truth(panel)
        for kind, size in SIZES.items():
            part = scores[(scores["p_flip"] == p_flip) & (scores["kind"] == kind)]
            look = {"markeredgewidth": 0.0, "markersize": size, **METHODS[kind].marks, "marker": "o"}
            panel.plot(part["theta0"], part["theta"], label=METHODS[kind].label, **look)
        ends = scores[(scores["p_flip"] == p_flip) & (scores["kind"] == "em")].sort_values("theta0")
        panel.plot(ends["theta0"], ends["theta"], color=METHODS["em"].color, dashes=(3, 3), label=METHODS["em"].label)
        panel.set(title=f"flips {p_flip:g}", xticks=[0, 0.5, 1], yticks=[0, 0.5, 1])
    critical = scores.drop_duplicates("theta0").sort_values("theta0")
    last = axes[-1, -1]
    for panel in axes.flat[len(levels) : -1]:
        panel.remove()
    last.plot(critical["theta0"], critical["critical_p_flip"], color=METHODS["interior"].color)
    style.label(axes, "true θ₀", "θ found")
    last.set(title="inner maxima", xticks=[0, 0.5, 1], ylim=(0, None), ylabel="flip probability")
    # To the right no other panel is in the way.
    last.yaxis.tick_right()
    last.yaxis.set_label_position("right")
    style.finish(figure, columns=4)
    return figure


def facts(scores: pd.DataFrame) -> dict[str, str]:
    """The largest flip probability at which an interior maximum is left."""
    return {"critical": amount(float(scores["critical_p_flip"].max()))}
