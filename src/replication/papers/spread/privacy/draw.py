"""Draw the privacy of every noise level."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from replication import palette, style
from replication.judging.words import amount
from replication.palette import METHODS

SERIES = {
    ("label_flip", "label", False): METHODS["label"],
    ("pixel_flip", "pixel", False): METHODS["pixel"],
    ("pixel_flip", "image", False): METHODS["image"],
    ("pixel_flip", "image", True): METHODS["image_delta"],
}
ONE = palette.Method("ε = 1", palette.MUTED, "")


def draw(scores: pd.DataFrame) -> Figure:
    """ε on a logarithmic axis: flips by their probability, Gaussian noise by its variance."""
    figure, axes = style.panels(1, 2, height=3.0, sharey=True)
    for (noise, unit, relaxed), look in SERIES.items():
        part = scores[(scores["noise"] == noise) & (scores["unit"] == unit) & ((scores["delta"] > 0) == relaxed)]
        axes[0, 0].plot(part["level"], part["epsilon"], label=look.label, **look.line)
    for unit, name in (("pixel", "pixel"), ("image", "image_delta")):
        part = scores[(scores["noise"] == "gaussian") & (scores["unit"] == unit)]
        axes[0, 1].plot(part["level"], part["epsilon"], **METHODS[name].line)
    for panel in axes[0]:
        panel.set_yscale("log")
        style.level(panel, 1, ONE, at=0.98)
    delta = scores.loc[scores["delta"] > 0, "delta"].iloc[0]
    axes[0, 0].set(xlabel="flip probability", ylabel="exact local ε (nats)", title="flips")
    axes[0, 1].set(xlabel="noise variance σ²", title=f"Gaussian noise, δ = $10^{{{np.log10(delta):g}}}$")
    style.finish(figure)
    return figure


def facts(scores: pd.DataFrame) -> dict[str, str]:
    """From which to which ε a label, a pixel and an image reach under flips, at δ = 0."""
    flips = scores[scores["noise"].ne("gaussian") & scores["delta"].eq(0)].groupby("unit", sort=False)["epsilon"]
    spans = [
        f"ε from {amount(low)} to {amount(high)} for {'an' if unit[0] in 'aeio' else 'a'} {unit}"
        for unit, low, high in flips.agg(["min", "max"]).itertuples()
    ]
    return {"levels": ", ".join(spans)}


def table(scores: pd.DataFrame) -> pd.DataFrame:
    """The scores as they are."""
    return scores
