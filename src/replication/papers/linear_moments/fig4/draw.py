"""Draw figure 4: the simplex as a triangle, with the family and the two equations that pin the data's distribution."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style
from replication.palette import METHODS
from unveil.types import Floats

#: The corners y = 1, 2, 3, and where their names stand.
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])
ASIDE = (("right", (-5, 0)), ("left", (5, 0)), ("center", (0, 7)))
FAMILY, EQUATION = palette.Method("exponential family", METHODS["moments"].color, ""), METHODS["coordinate"].color


def draw(scores: pd.DataFrame) -> Figure:
    """The population: its moment equations meet in the data's distribution."""
    figure, axes = style.panels(height=3.6)
    panel = axes[0, 0]
    simplex(panel, scores, "population")
    family = place(scores[scores["curve"] == "family"])
    style.write(panel, FAMILY.label, family[family[:, 1].argmax()], (0, 6), color=FAMILY.color, ha="center")
    truth = place(scores[scores["curve"] == "truth"])[0]
    panel.plot(*truth, "o", color=palette.INK, markersize=6, zorder=4)
    style.write(panel, "the data's distribution", truth, (9, -12))
    panel.set(xlim=(-0.2, 1.2), ylim=(-0.12, 0.98))
    return figure


def place(rows: pd.DataFrame) -> Floats:
    """Distributions over three states as points of the plane."""
    points: Floats = rows[["p1", "p2", "p3"]].to_numpy() @ CORNERS
    return points


def simplex(axes: Axes, scores: pd.DataFrame, lines: str) -> None:
    """The triangle, the family in it, and two moment equations across it."""
    axes.plot(*CORNERS[[0, 1, 2, 0]].T, color=palette.INK, linewidth=0.8)
    for y, (corner, (side, shift)) in enumerate(zip(CORNERS, ASIDE, strict=True), 1):
        style.write(axes, f"y = {y}", corner, shift, ha=side, va="center", clip_on=True)
    axes.plot(*place(scores[scores["curve"] == "family"]).T, **FAMILY.stroke)
    for o in (1, 2):
        first, last = place(scores[scores["curve"] == f"{lines} {o}"])
        ends = np.array([first + 0.15 * (first - last), last + 0.15 * (last - first)])
        axes.plot(*ends.T, ":", color=EQUATION)
        style.write(axes, f"equation {o}", ends[ends[:, 1].argmax()], (4, 3), color=EQUATION, clip_on=True)
    axes.set_aspect("equal")
    axes.axis("off")
