"""Draw the privacy of every noise level."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.papers.spread.palette import METHODS

SERIES = {
    ("label_flip", "label", False): METHODS["label"],
    ("pixel_flip", "pixel", False): METHODS["pixel"],
    ("pixel_flip", "image", False): METHODS["image"],
    ("pixel_flip", "image", True): METHODS["image_delta"],
}


def draw(scores: pd.DataFrame) -> Figure:
    """ε on a logarithmic axis: flips by their probability, Gaussian noise by its variance."""
    figure, axes = style.panels(1, 2, height=2.6, sharey=True)
    for (noise, unit, relaxed), look in SERIES.items():
        part = scores[(scores["noise"] == noise) & (scores["unit"] == unit) & ((scores["delta"] > 0) == relaxed)]
        axes[0, 0].plot(part["level"], part["epsilon"], label=look.label, **look.line)
    for unit, name in (("pixel", "pixel"), ("image", "image_delta")):
        part = scores[(scores["noise"] == "gaussian") & (scores["unit"] == unit)]
        axes[0, 1].plot(part["level"], part["epsilon"], **METHODS[name].line)
    for panel in axes[0]:
        panel.set_yscale("log")
        panel.axhline(1, color=style.MUTED, linewidth=0.8)
    delta = scores.loc[scores["delta"] > 0, "delta"].iloc[0]
    axes[0, 0].set(xlabel="flip probability", ylabel="exact local ε", title="flips")
    axes[0, 1].set(xlabel="noise variance σ²", title=f"Gaussian noise, δ = {delta:g}")
    style.legend(figure, axes[0, 0])
    return figure


def table(scores: pd.DataFrame) -> pd.DataFrame:
    """The scores as they are."""
    return scores
