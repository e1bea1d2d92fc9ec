"""Draw figure 6: test R² against the privacy level, on housing and songs."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style
from replication.palette import METHODS

#: The paper's two panels, and the moderate levels in the unit of each mechanism.
PANELS = {"housing": "housing: per-value φ-RR", "songs": "songs: coordinate release"}
TITLES = palette.Named(
    str,
    housing="housing",
    housing_sparse="housing, sparse",
    california="California",
    songs="songs",
    songs_subset="songs subset",
    # Under the other mechanism, at a few levels: claims compare them, and the table of reaches has them.
    housing_coordinate="housing, coordinate release",
    songs_subset_per_value="songs subset, per-value φ-RR",
)
PRIVATE, OPEN = ("moments_truncated", "moments_ridge"), ("least_squares", "constant")
#: What counts as moderate: α, and also α/δ̄ under per-value release, as the paper may be read either way.
MODERATE, MODERATE_LEVELS = palette.Method("moderate α", palette.SHADE, ""), (3.0, 10.0)


def draw(scores: pd.DataFrame) -> Figure:
    """A panel a data set; private regression, what needs no privacy, and a constant."""
    datasets = [name for name in palette.in_order(scores["dataset"], PANELS) if name in PANELS or name not in TITLES]
    figure, axes = style.panels(1, len(datasets), height=3.0, sharey=True)
    for panel, dataset in zip(axes[0], datasets, strict=True):
        own = scores[(scores["dataset"] == dataset) & (scores["panel"] == "alpha") & ~scores["centred"].astype(bool)]
        against_level(panel, own, "r2", PRIVATE[:1])
        panel.set(title=PANELS.get(dataset, dataset), ylim=(0, 1.02))
    style.label(axes, y="test R² (uncentred)")
    style.finish(figure)
    return figure


def against_level(axes: Axes, scores: pd.DataFrame, value: str, methods: tuple[str, ...]) -> None:
    """Curves of the private estimators over the level of their mechanism; what has no level as lines across."""
    levels = np.sort(scores["level"].dropna().unique())
    finite = levels[np.isfinite(levels)]
    end = float(finite[-1] * 4)  # no privacy stands aside
    bounds = scores["delta_bar"].dropna().unique()
    for unit in (1.0, *bounds):
        axes.axvspan(*(level / unit for level in MODERATE_LEVELS), color=MODERATE.color, label=MODERATE.label, zorder=0)
    for name in methods:
        own = scores[scores["estimator"] == name].replace({"level": {np.inf: end}})
        style.curve(axes, own, "level", value, METHODS[name])
    for name in OPEN:
        known = scores.loc[scores["estimator"] == name, value].mean()
        style.level(axes, known, METHODS[name], at=0.98, above=name != "constant")
    ticks = [tick for tick in (0.1, 1, 10, 100) if finite[0] <= tick <= finite[-1]]
    style.log_axis(axes, [*ticks, end], [*(f"{tick:g}" for tick in ticks), "∞"])
    axes.set_xlabel("α/δ̄" if len(bounds) else "α")
