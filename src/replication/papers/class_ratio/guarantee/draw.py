"""The guarantee of the scaled Dirichlet over the size of the smallest class."""

import pandas as pd
from matplotlib.figure import Figure

from replication import palette, style
from replication.judging.words import amount
from replication.palette import METHODS
from replication.papers.class_ratio.panels import true_delta

#: The mechanism that finds its scale by a rule.
RULES = {"paper": "scaled_dirichlet", "tight": "scaled_dirichlet_tight", "public": "scaled_dirichlet_public"}


def draw(scores: pd.DataFrame) -> Figure:
    """Left: δ if the neighbour used the same σ; right: with its own σ, as published, and the tight rule enlarged."""
    figure, axes = style.panels(1, 2, height=2.6, sharey=True)
    titles = {"true_delta_fixed": "σ kept for the neighbour", "true_delta_recomputed": "σ recomputed"}
    # Where the mechanism publishes nothing there is no δ to draw.
    shown = scores.assign(**{column: scores[column].where(scores["scale"].notna()) for column in titles})
    rules = [(METHODS[name], shown[shown["rule"] == rule].sort_values("smallest")) for rule, name in RULES.items()]
    claimed = float(scores["delta"].iloc[0])
    for panel, (column, title) in zip(axes[0], titles.items(), strict=True):
        true_delta(panel, rules, "smallest", column, claimed, markersize=2.5)
        style.log_axis(panel, (40, 50, 60, 100, 200))
        panel.set_title(title)
    inset = axes[0, 1].inset_axes((0.1, 0.12, 0.45, 0.34))
    for look, rows in rules[1:]:
        inset.plot(rows["smallest"], 100 * rows["true_delta_recomputed"], markersize=2, linewidth=0.9, **look.line)
    inset.axhline(100 * claimed, color=palette.MUTED, linewidth=0.7)
    excess = 100 * (rules[1][1]["true_delta_recomputed"].max() - claimed)
    inset.set_ylim(100 * claimed - 0.4 * excess, 100 * claimed + 1.2 * excess)
    inset.set_title("enlarged, in %", fontsize=6, pad=2)
    inset.tick_params(labelsize=5.5)
    style.log_axis(inset, (40, 60, 100, 200))
    style.label(axes, "members of each of the four smallest classes", "true δ at ε")
    style.finish(figure)
    return figure


def facts(scores: pd.DataFrame) -> dict[str, str]:
    """What the published mechanism gives away at the smallest counts for which the paper's rule has a σ."""
    own = scores[(scores["rule"] == "paper") & scores["scale"].notna()].sort_values("smallest")
    if own.empty:
        return {"at the edge": "none of these counts has a σ"}
    edge = own.iloc[0]
    return {"at the edge": f"a true δ of {amount(edge['true_delta_recomputed'])} at {edge['smallest']:.0f} members"}
