"""The guarantee of the scaled Dirichlet over the size of the smallest class."""

import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.judging.words import amount
from replication.palette import METHODS

#: The mechanism that finds its scale by a rule.
RULES = {"paper": "scaled_dirichlet", "tight": "scaled_dirichlet_tight", "public": "scaled_dirichlet_public"}
TITLES = {"true_delta_fixed": "σ kept for the neighbour", "true_delta_recomputed": "σ recomputed, as published"}


def draw(scores: pd.DataFrame) -> Figure:
    """Left: δ if the neighbour used the same σ; right: with its own σ, as published."""
    figure, axes = style.panels(1, 2, height=3.0, sharey=True)
    # Where the mechanism publishes nothing there is no δ to draw.
    known = scores[scores["scale"].notna()].sort_values("smallest")
    for panel, (column, title) in zip(axes[0], TITLES.items(), strict=True):
        for rule, name in RULES.items():
            rows = known[(known["rule"] == rule) & (known[column] > 0)]
            panel.plot(rows["smallest"], rows[column], label=METHODS[name].label, **METHODS[name].line)
        style.level(panel, float(scores["delta"].iloc[0]), METHODS["claimed"], at=0.98)
        style.log_axis(panel, (40, 60, 100, 200))
        panel.set(title=title, yscale="log")
    style.label(axes, "members of each of the four smallest classes", "true δ at ε")
    style.finish(figure)
    return figure


def facts(scores: pd.DataFrame) -> dict[str, str]:
    """What is given away at the smallest counts for which the paper's rule has a σ, and by the tight rule at most."""
    own = scores[(scores["rule"] == "paper") & scores["scale"].notna()].sort_values("smallest")
    tight = scores.loc[scores["rule"] == "tight", "true_delta_recomputed"].max()
    if own.empty:
        return {"at the edge": "none of these counts has a σ", "tight": amount(tight)}
    edge = own.iloc[0]
    words = f"a true δ of {amount(edge['true_delta_recomputed'])} at {edge['smallest']:.0f} members"
    return {"at the edge": words, "tight": amount(tight)}
