"""Draw a model whose moments lose efficiency as the answers become more truthful."""

import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.palette import METHODS
from replication.papers.linear_moments.fig3.draw import EQUAL


def draw(scores: pd.DataFrame) -> Figure:
    """One curve; only with ε = 1 are both estimators the same again."""
    own = scores[scores["signal"] == "counterexample"].sort_values("epsilon")
    figure, axes = style.panels(height=2.9)
    panel, look, below = axes[0, 0], METHODS["moments"], own["epsilon"] < 1
    panel.plot(own.loc[below, "epsilon"], own.loc[below, "value"], color=look.color, linewidth=2)
    panel.plot(own["epsilon"], own["value"], **look.marks)
    style.level(panel, 1, EQUAL)
    panel.set(title=f"another model, θ = {float(own['theta'].iloc[0]):g}", xlim=(0, 1.02), ylim=(0.5, 1.06))
    style.label(axes, "ε, chance of a truthful answer", "efficiency of moments")
    style.finish(figure)
    return figure
