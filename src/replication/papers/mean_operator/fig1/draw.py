"""Draw figure 1: one panel a loss, with its even and its odd part."""

import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.palette import METHODS

#: The paper's, and one whose odd part bends; the others of table 1 look like these.
LOSSES = ("logistic", "square", "matsushita", "absolute", "modified_huber", "hinge")


def draw(scores: pd.DataFrame) -> Figure:
    """The parts add up to the loss; the odd one is a straight line where theorem 3 holds."""
    losses = [loss for loss in LOSSES if loss in set(scores["loss"])]
    figure, axes = style.panels(2, 3, height=2.1, used=len(losses), sharex=True, sharey=True)
    for panel, loss in zip(axes.flat, losses, strict=False):
        part = scores[scores["loss"] == loss]
        for name in ("value", "even", "odd"):
            panel.plot(part["x"], part[name], label=METHODS[name].label, **METHODS[name].line)
        panel.set_title(loss.replace("_", " "))
        # Around zero all parts can be told apart; the square loss would flatten them otherwise.
        panel.set_ylim(-3, 5)
    style.label(axes, "margin x", "value")
    style.finish(figure)
    return figure
