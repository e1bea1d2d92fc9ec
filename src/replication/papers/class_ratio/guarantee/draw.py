"""The guarantee of the scaled Dirichlet over the size of the smallest class."""

import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.judging.words import amount
from replication.papers.class_ratio.palette import METHODS
from replication.papers.class_ratio.panels import true_delta

#: The mechanism that finds its scale by a rule.
RULES = {"paper": "scaled_dirichlet", "tight": "scaled_dirichlet_tight", "public": "scaled_dirichlet_public"}


def facts(scores: pd.DataFrame) -> dict[str, str]:
    """What the published mechanism gives away at the smallest counts for which the paper's rule has a σ."""
    own = scores[(scores["rule"] == "paper") & scores["scale"].notna()].sort_values("smallest")
    if own.empty:
        return {"at the edge": "none of these counts has a σ"}
    edge = own.iloc[0]
    return {"at the edge": f"a true δ of {amount(edge['true_delta_recomputed'])} at {edge['smallest']:.0f} members"}


def draw(scores: pd.DataFrame) -> Figure:
    """Left: δ if the neighbour used the same σ; right: with its own σ, as published."""
    figure, axes = style.panels(1, 2, height=2.4, sharey=True)
    titles = {"true_delta_fixed": "σ kept for the neighbour", "true_delta_recomputed": "σ recomputed"}
    rules = [(METHODS[name], scores[scores["rule"] == rule].sort_values("smallest")) for rule, name in RULES.items()]
    for panel, (column, title) in zip(axes[0], titles.items(), strict=True):
        true_delta(panel, rules, "smallest", column, float(scores["delta"].iloc[0]), markersize=2.5)
        style.log_axis(panel, (40, 50, 60, 100, 200))
        panel.set_title(title)
    style.label(axes, "members of each of the four smallest classes", "true δ at ε")
    style.finish(figure)
    return figure
