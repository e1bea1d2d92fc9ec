"""Draw theorem 6 for the losses that the main picture leaves out."""

import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.papers.mean_operator.bounds.draw import LOSSES, SHIFTS, lines


def draw(scores: pd.DataFrame) -> Figure:
    """One panel a loss."""
    shifts = scores[(scores["theorem"] == 6) & ~scores["loss"].isin(LOSSES)]
    losses = list(shifts["loss"].unique())
    figure, axes = style.panels(1, len(losses), height=2.5, sharey=True)
    for panel, loss in zip(axes[0], losses, strict=True):
        lines(panel, shifts[shifts["loss"] == loss], {name: name for name in SHIFTS})
        panel.set_title(f"6: {loss.replace('_', ' ')}")
    style.label(axes, "dimension d", "shift of θ*")
    style.finish(figure)
    return figure
