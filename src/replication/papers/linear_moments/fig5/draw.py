"""Draw figure 5: three log-marginal curves with their stationary points."""

import pandas as pd
from matplotlib.figure import Figure

from replication import palette, style
from replication.palette import EXTREMA

NAMES = {"max": "maximum", "min": "minimum"}


def draw(scores: pd.DataFrame) -> Figure:
    """One curve an observation, named where it turns."""
    figure, axes = style.panels(height=3.2)
    panel = axes[0, 0]
    for o, look in palette.scale(sorted(scores["o"].unique()), "o = {}").items():
        curve = scores[(scores["o"] == o) & (scores["kind"].fillna("") == "")]
        panel.plot(curve["theta"], curve["log_marginal"], color=look.color, linestyle=look.linestyle)
        turning = scores[(scores["o"] == o) & scores["kind"].isin(list(EXTREMA))]
        for point in turning.itertuples():
            shift = (0, 7 if point.kind == "max" else -15)
            style.write(panel, look.label, (point.theta, point.log_marginal), shift, color=look.color, ha="center")
    for kind, look in EXTREMA.items():
        points = scores[scores["kind"] == kind]
        panel.plot(points["theta"], points["log_marginal"], markersize=6, label=look.label, **look.line)
    panel.margins(y=0.12)
    style.label(axes, "θ", "log-marginal likelihood")
    style.finish(figure)
    return figure


def facts(scores: pd.DataFrame) -> dict[str, str]:
    """Which observation has which stationary points."""
    points = scores.dropna(subset=["kind"])
    found = {kind: " and ".join(f"o = {o}" for o in sorted(part["o"])) for kind, part in points.groupby("kind")}
    return {"extrema": "; ".join(f"a {NAMES[str(kind)]} for {where}" for kind, where in found.items())}
