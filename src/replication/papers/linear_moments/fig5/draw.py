"""Draw figure 5: three log-marginal curves with their stationary points."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.papers.linear_moments.palette import EXTREMA, scale


def draw(scores: pd.DataFrame) -> Figure:
    """One curve an observation."""
    figure, axes = style.panels(height=2.4)
    panel = axes[0, 0]
    looks = scale(sorted(scores["o"].unique()))
    for o, own in scores.groupby("o"):
        curve = own[own["kind"].fillna("") == ""]
        line = {**looks[o].line, "marker": ""}
        panel.plot(curve["theta"], curve["log_marginal"], label=f"o = {o}", **line)
    for kind, look in EXTREMA.items():
        points = scores[scores["kind"] == kind]
        panel.plot(points["theta"], points["log_marginal"], markersize=5, label=look.label, **look.line)
    panel.set_xlabel("θ")
    panel.set_ylabel("log-marginal likelihood")
    style.legend(figure, panel, columns=3)
    return figure
