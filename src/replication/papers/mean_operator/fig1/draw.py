"""Draw figure 1: one panel a loss, with its even and its odd part."""

from math import ceil

import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.palette import METHODS

COLUMNS = 4


def draw(scores: pd.DataFrame) -> Figure:
    """The parts add up to the loss; the odd one is a straight line where theorem 3 holds."""
    losses = list(scores["loss"].unique())
    figure, axes = style.panels(ceil(len(losses) / COLUMNS), COLUMNS, height=1.7, used=len(losses), sharex=True)
    for axis, loss in zip(axes.flat, losses, strict=False):
        part = scores[scores["loss"] == loss]
        for name in ("value", "even", "odd"):
            axis.plot(part["x"], part[name], label=METHODS[name].label, **METHODS[name].line)
        axis.set_title(loss.replace("_", " "))
        # Around zero all parts can be told apart; the square loss would flatten them otherwise.
        axis.set_ylim(-3, 5)
    style.label(axes, "margin x", "value")
    style.finish(figure)
    return figure
