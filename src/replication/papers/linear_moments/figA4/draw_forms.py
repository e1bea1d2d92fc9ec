"""Draw the paper's approximate forms of tr H over the exact one."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.palette import METHODS
from replication.papers.linear_moments.figA4.draw import SCHEMES, at

#: The dash of each form; the exact one is the level 1.
FORMS = {"printed": ("printed", "--"), "small_alpha": ("small α, printed", ":"),
         "small_alpha_corrected": ("small α, corrected", "-.")}  # fmt: skip


def draw(scores: pd.DataFrame) -> Figure:
    """A row a scheme; statistics that are not binary, and binary ones of which a record uses a part."""
    figure, axes = style.panels(len(SCHEMES), 2, height=2.1, sharex=True, sharey=True)
    shown = scores[scores["d"] == at(scores["d"], 0.5)]
    shown = shown[shown["delta_bar"] == at(shown["delta_bar"], 0.85)]
    share = shown["mean_norm"] / (shown["delta_bar"] * shown["size"])
    halves, sparse = shown["size"] == shown["size"].min(), shown["size"] == 1
    cases = (
        ("φ ∈ {0, ½}", np.isclose(share, share.max()) & halves),
        ("binary, partly used", np.isclose(share, share.min()) & sparse),
    )
    for row, scheme in zip(axes, SCHEMES, strict=True):
        for panel, (title, chosen) in zip(row, cases, strict=True):
            own = shown[chosen & (shown["scheme"] == scheme)].set_index("alpha")
            exact = own.loc[own["form"] == "exact", "trace"]
            for form, (name, dash) in FORMS.items():
                ratio = own.loc[own["form"] == form, "trace"] / exact
                panel.plot(ratio.index, ratio, color=METHODS[scheme].color, linestyle=dash, label=name)
            panel.set(xscale="log", title=f"{METHODS[scheme].label}: {title}")
    style.label(axes, "α", "tr H over the exact one")
    for row in axes:
        style.label_ends(row[-1], width=12)
    style.letter(figure)
    return figure
