"""The guarantee of the scaled Dirichlet over the size of the smallest class."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.papers.class_ratio.palette import METHODS

#: The mechanism that finds its scale by a rule.
RULES = {"paper": "scaled_dirichlet", "tight": "scaled_dirichlet_tight", "public": "scaled_dirichlet_public"}


def draw(scores: pd.DataFrame) -> Figure:
    """Left: δ if the neighbour used the same σ; right: with its own σ, as published."""
    figure, axes = style.panels(1, 2, height=2.4, sharey=True)
    panels = {"true_delta_fixed": "σ kept for the neighbour", "true_delta_recomputed": "σ recomputed"}
    for panel, (column, title) in zip(axes[0], panels.items(), strict=True):
        for rule, mechanism in RULES.items():
            look = METHODS[mechanism]
            rows = scores[scores["rule"] == rule].sort_values("smallest")
            panel.plot(rows["smallest"], rows[column], label=look.label, **look.line)
        panel.axhline(float(scores["delta"].iloc[0]), color=style.MUTED, linewidth=0.8, zorder=0)
        panel.set_xscale("log")
        panel.set_xticks([40, 50, 60, 100, 200], labels=["40", "50", "60", "100", "200"])
        panel.minorticks_off()
        panel.set_yscale("symlog", linthresh=1e-4)
        panel.set_ylim(-2e-5, 1.5)
        panel.set_title(title)
        panel.set_xlabel("members of each of the four smallest classes")
    axes[0, 0].set_ylabel("true δ at ε")
    style.letter(axes)
    style.legend(figure, axes[0, 0], columns=3)
    return figure
