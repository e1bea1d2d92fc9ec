"""Draw the δ that each point of figure 1 really has."""

import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.palette import METHODS
from replication.papers.class_ratio.fig1.draw import PANELS
from replication.papers.class_ratio.settings import Demand

#: Those that need a δ; Laplace noise has none.
SHOWN = ("gaussian", "gaussian_analytic", "scaled_dirichlet", "scaled_dirichlet_tight", "scaled_dirichlet_public")


def draw(scores: pd.DataFrame) -> Figure:
    """One panel for each thing that varies, the demanded δ across."""
    figure, axes = style.panels(1, len(PANELS), height=3.0, sharey=True)
    for axis, (name, (title, label)) in zip(axes[0], PANELS.items(), strict=True):
        own = scores[(scores["panel"] == name) & (scores["true_delta"] > 0)]
        for mechanism in SHOWN:
            values = own[own["mechanism"] == mechanism].groupby("x")["true_delta"].first()
            axis.plot(values.index, values, label=METHODS[mechanism].label, **METHODS[mechanism].line)
        style.level(axis, Demand.delta, METHODS["claimed"], at=0.98)
        axis.set(title=title, xlabel=label, yscale="log", ylim=(1e-4, 1.5))
    axes[0, 0].set_ylabel("true δ")
    style.finish(figure)
    return figure
