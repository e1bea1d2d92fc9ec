"""Draw figure 4: the simplex as a triangle, with what lies in it."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style
from replication.palette import METHODS
from unveil.types import Floats

#: The corners y = 1, 2, 3.
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])
POINTS = {
    "truth": palette.Method("true distribution", palette.INK, "*"),
    "preimage": palette.Method("S†q̂", palette.MUTED, "D"),
    "relaxation": palette.Method("r̂, closest in the simplex (KL)", palette.MUTED, "^"),
    "moments": METHODS["moments"],
    "marginal": METHODS["marginal"],
}


def draw(scores: pd.DataFrame) -> Figure:
    """The population, whose equations meet in the truth; our sample; and the neighbourhood of its estimates."""
    figure, axes = style.panels(1, 3, height=2.4)
    for panel, lines in zip(axes[0], ("population", "equation", "equation"), strict=True):
        _simplex(panel, scores, lines)
        panel.set_aspect("equal")
        panel.axis("off")
    for panel, title in zip(axes[0], ("population", "a sample", "a sample, enlarged"), strict=True):
        panel.set_title(title)
        panel.set_xlim(-0.15, 1.15)
        panel.set_ylim(-0.25, 1.0)
    close = np.array([place(scores[scores["curve"] == name])[0] for name in POINTS])
    middle = (close.min(axis=0) + close.max(axis=0)) / 2
    reach = 0.75 * np.ptp(close, axis=0).max()
    axes[0, 2].set_xlim(middle[0] - reach, middle[0] + reach)
    axes[0, 2].set_ylim(middle[1] - reach, middle[1] + reach)
    axes[0, 1].indicate_inset([*(middle - reach), 2 * reach, 2 * reach], edgecolor=palette.MUTED)
    style.finish(figure)
    return figure


def place(rows: pd.DataFrame) -> Floats:
    """Distributions over three states as points of the plane."""
    points: Floats = rows[["p1", "p2", "p3"]].to_numpy() @ CORNERS
    return points


def _simplex(axes: Axes, scores: pd.DataFrame, lines: str) -> None:
    border = CORNERS[[0, 1, 2, 0]]
    axes.plot(border[:, 0], border[:, 1], color=palette.INK, linewidth=0.8)
    for y, (x, height) in enumerate(CORNERS):
        side, shift = (("right", (-4, 0)), ("left", (4, 0)), ("center", (0, 6)))[y]
        beside: dict[str, Any] = {"xytext": shift, "textcoords": "offset points", "ha": side, "va": "center"}
        axes.annotate(f"y = {y + 1}", (x, height), annotation_clip=True, **beside)
    family = place(scores[scores["curve"] == "family"])
    axes.plot(family[:, 0], family[:, 1], color=palette.INK, label="exponential family")
    for o in (1, 2):
        first, last = place(scores[scores["curve"] == f"{lines} {o}"])
        ends = np.array([first + (first - last), last + (last - first)])
        label = "moment equations" if o == 1 else None
        axes.plot(ends[:, 0], ends[:, 1], ":", color=palette.MUTED, label=label)
    for name, point in POINTS.items():
        if lines == "population" and name != "truth":
            continue
        (x, height) = place(scores[scores["curve"] == name])[0]
        axes.plot([x], [height], point.marker, color=point.color, markersize=5, label=point.label)
