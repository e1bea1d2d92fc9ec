"""Draw figure 5: three log-marginal curves with their stationary points."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from replication import style

KINDS = {"max": ("^", "maximum"), "min": ("v", "minimum")}


def draw(scores: pd.DataFrame) -> Figure:
    """One curve an observation."""
    figure, axes = style.panels(height=2.4)
    panel = axes[0, 0]
    looks = style.looks([str(o) for o in sorted(scores["o"].unique())])
    for o, own in scores.groupby("o"):
        curve = own[own["kind"].fillna("") == ""]
        look = looks[str(o)]
        panel.plot(
            curve["theta"],
            curve["log_marginal"],
            color=look["color"],
            linestyle=look["linestyle"],
            label=f"o = {o}",
        )
    for kind, (marker, label) in KINDS.items():
        points = scores[scores["kind"] == kind]
        panel.plot(
            points["theta"], points["log_marginal"], marker, color=style.INK, markersize=5, label=label
        )
    panel.set_xlabel("θ")
    panel.set_ylabel("log-marginal likelihood")
    style.legend(figure, panel, columns=3)
    return figure
