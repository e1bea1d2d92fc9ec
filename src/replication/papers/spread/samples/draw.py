"""Draw the bias of few importance samples."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.judging.words import amount
from replication.palette import METHODS

#: The paper's way first.
SAMPLED = {
    ("spread_flat_pixel", "sampled"): METHODS["spread_flat"],
    ("spread_flat_pixel", "summed"): METHODS["spread_flat_summed"],
    ("spread_flat_z", "sampled"): METHODS["spread_flat_z"],
    ("spread_flat_z", "summed"): METHODS["spread_flat_z_summed"],
}


def draw(scores: pd.DataFrame) -> Figure:
    """Accuracy and the length of θ against S, one row a noise level."""
    levels = sorted(scores["p_flip"].unique())
    figure, axes = style.panels(len(levels), 2, height=2.3, sharex=True)
    for row, p_flip in zip(axes, levels, strict=True):
        for panel, value in zip(row, ("accuracy", "theta_norm"), strict=True):
            _curves(panel, scores[scores["p_flip"] == p_flip], value)
            panel.set_title(f"flips {p_flip:g}")
        row[1].set_ylabel("‖θ‖")
    style.label(axes, "importance samples S", "accuracy on clean digits")
    style.finish(figure, columns=2)
    return figure


def facts(scores: pd.DataFrame) -> dict[str, str]:
    """The length of θ with a single sample and sampled labels, over that with summed ones."""
    fewest = scores[scores["samples"] == scores["samples"].min()]
    length = fewest.pivot_table(index="p_flip", columns="labels", values="theta_norm")
    shares = length["sampled"] / length["summed"]
    return {"single": " and ".join(f"{amount(share)} (p = {p:g})" for p, share in shares.items())}


def _curves(axes: Axes, scores: pd.DataFrame, value: str) -> None:
    """One line a way to sample."""
    for (method, labels), look in SAMPLED.items():
        style.curve(axes, scores[(scores["method"] == method) & (scores["labels"] == labels)], "samples", value, look)
    style.log_axis(axes, sorted(scores["samples"].unique()))
