"""Draw figure 3 by another protocol: from zero, as many steps for every method."""

import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.papers.spread.fig3.draw import PAPER, draw_accuracies


def draw(scores: pd.DataFrame) -> Figure:
    """One panel a number of steps."""
    steps = scores[scores["protocol"] == "steps"]
    counts = sorted(steps["iterations"].unique())
    figure, axes = style.panels(1, len(counts), height=2.8, sharey=True)
    for panel, count in zip(axes[0], counts, strict=True):
        draw_accuracies(panel, steps[steps["iterations"] == count], PAPER)
        panel.set_title(f"{count} steps from zero")
    style.label(axes, y="accuracy on clean digits")
    style.finish(figure)
    return figure
