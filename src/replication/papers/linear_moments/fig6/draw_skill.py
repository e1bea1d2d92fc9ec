"""Draw what figure 6's R² hides: skill, beyond what a constant predicts, against the privacy level."""

import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.palette import in_order
from replication.papers.linear_moments.fig6.draw import PRIVATE, TITLES, against_level

#: Left to the main picture, or to the table.
ELSEWHERE = ("songs", "housing_sparse", "housing_coordinate", "songs_subset_per_value")


def draw(scores: pd.DataFrame) -> Figure:
    """A panel a data set; both solvers as released, and the primary one on data centred before the release."""
    levels = scores[scores["panel"] == "alpha"].copy()
    levels.loc[levels["centred"].astype(bool) & (levels["estimator"] == PRIVATE[0]), "estimator"] = "moments_centred"
    levels = levels[~levels["centred"].astype(bool) | (levels["estimator"] == "moments_centred")]
    datasets = in_order(set(levels["dataset"]).difference(ELSEWHERE), TITLES)
    figure, axes = style.panels(1, len(datasets), height=2.7, sharey=True)
    for panel, dataset in zip(axes[0], datasets, strict=True):
        own = levels[levels["dataset"] == dataset]
        against_level(panel, own, "skill", (*PRIVATE, "moments_centred"))
        panel.set(title=TITLES[dataset], ylim=(-0.4, 1.0))
    style.label(axes, y="skill")
    style.finish(figure)
    return figure
