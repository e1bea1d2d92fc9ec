"""Draw figure 5: three log-marginal curves with their stationary points."""

import pandas as pd
from matplotlib.figure import Figure

from replication import palette, style
from replication.palette import EXTREMA

NAMES = {"max": "maximum", "min": "minimum"}


def draw(scores: pd.DataFrame) -> Figure:
    """One curve an observation."""
    figure, axes = style.panels(height=2.4)
    panel = axes[0, 0]
    for o, look in palette.scale(sorted(scores["o"].unique()), "o = {}").items():
        curve = scores[(scores["o"] == o) & (scores["kind"].fillna("") == "")]
        panel.plot(curve["theta"], curve["log_marginal"], label=look.label, **look.stroke)
    for kind, look in EXTREMA.items():
        points = scores[scores["kind"] == kind]
        panel.plot(points["theta"], points["log_marginal"], markersize=5, label=look.label, **look.line)
    style.label(axes, "θ", "log-marginal likelihood")
    style.finish(figure, columns=3)
    return figure


def facts(scores: pd.DataFrame) -> dict[str, str]:
    """Which observation has which stationary points."""
    points = scores.dropna(subset=["kind"])
    found = {kind: " and ".join(f"o = {o}" for o in sorted(part["o"])) for kind, part in points.groupby("kind")}
    return {"extrema": "; ".join(f"a {NAMES[str(kind)]} for {where}" for kind, where in found.items())}
