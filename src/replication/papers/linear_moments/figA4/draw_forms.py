"""Draw the paper's approximate forms of tr H over the exact one."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.judging.words import amount
from replication.palette import METHODS
from replication.papers.linear_moments.figA4.draw import SCHEMES, at

SCHEME, OTHER = SCHEMES
#: The dash of each form; the exact one is the level 1.
FORMS = {"printed": ("printed", "--"), "small_alpha": ("small α, printed", ":"),
         "small_alpha_corrected": ("small α, corrected", "-.")}  # fmt: skip


def draw(scores: pd.DataFrame) -> Figure:
    """Coordinate release: statistics that are not binary, and binary ones of which a record uses a part."""
    figure, axes = style.panels(1, 2, height=2.8, sharey=True)
    for panel, (title, shown) in zip(axes[0], cases(scores).items(), strict=True):
        for form, (name, dash) in FORMS.items():
            panel.plot(ratios(shown, SCHEME, form), color=METHODS[SCHEME].color, linestyle=dash, label=name)
        panel.set(xscale="log", title=title)
    style.label(axes, "α", "tr H over the exact one")
    style.label_ends(axes[0, -1], width=12)
    style.finish(figure)
    return figure


def facts(scores: pd.DataFrame) -> dict[str, str]:
    """How far the forms are off for the other scheme."""
    off = max(abs(ratios(shown, OTHER, form) - 1).max() for shown in cases(scores).values() for form in FORMS)
    return {"other": f"{METHODS[OTHER].label} at most {amount(off)}"}


def cases(scores: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Both kinds of statistics, in the middle of the grid."""
    shown = scores[scores["d"] == at(scores["d"], 0.5)]
    shown = shown[shown["delta_bar"] == at(shown["delta_bar"], 0.85)]
    share = shown["mean_norm"] / (shown["delta_bar"] * shown["size"])
    full, partly = (np.isclose(share, end) for end in (share.max(), share.min()))
    return {
        "φ ∈ {0, ½}": shown[full & (shown["size"] == shown["size"].min())],
        "binary, partly used": shown[partly & (shown["size"] == 1)],
    }


def ratios(scores: pd.DataFrame, scheme: str, form: str) -> pd.Series:
    """A form's tr H over the exact one, by α."""
    own = scores[scores["scheme"] == scheme].set_index("alpha")
    ratio: pd.Series = own.loc[own["form"] == form, "trace"] / own.loc[own["form"] == "exact", "trace"]
    return ratio
