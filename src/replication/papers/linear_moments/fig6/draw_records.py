"""Draw how skill grows with the number of records, at one level."""

import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.palette import METHODS, in_order
from replication.papers.linear_moments.fig6.draw import OPEN, PRIVATE, TITLES
from replication.papers.linear_moments.fig6.draw_skill import ELSEWHERE

#: The lowest skill that is shown; a data set that never gets there is left out.
FLOOR = -0.4


def draw(scores: pd.DataFrame) -> Figure:
    """A panel a data set; data as released."""
    raw = scores[~scores["centred"].astype(bool)]
    means = raw[raw["panel"] == "n"].groupby(["dataset", "n_train"])["skill"].mean().groupby(level=0).max()
    datasets = in_order(set(means.index[means > FLOOR]).difference(ELSEWHERE), TITLES)
    figure, axes = style.panels(1, len(datasets), height=2.7, sharey=True)
    for panel, dataset in zip(axes[0], datasets, strict=True):
        own = raw[raw["dataset"] == dataset]
        growing = own[own["panel"] == "n"]
        for name in PRIVATE:
            style.curve(panel, growing[growing["estimator"] == name], "n_train", "skill", METHODS[name])
        for name in OPEN:
            known = own.loc[(own["panel"] == "alpha") & (own["estimator"] == name), "skill"]
            style.level(panel, known.mean(), METHODS[name], above=name != "constant")
        kind = "α/δ̄" if growing["delta_bar"].notna().any() else "α"
        title = f"{TITLES[dataset]}, {kind} = {growing['level'].iloc[0]:g}"
        panel.set(title=title, xscale="log", ylim=(FLOOR, 1.0))
    style.label(axes, "records", "skill")
    style.finish(figure)
    return figure
