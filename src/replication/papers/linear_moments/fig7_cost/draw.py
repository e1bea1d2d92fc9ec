"""Draw accuracy against computing: every estimator's curve, by window size."""

import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.palette import looks_of
from replication.papers.linear_moments.fig7.draw import in_order, row_name

#: The paper's two estimators in the readings that differ in cost, and two that are ours.
SHOWN = ("moments_all", "moments_sgd_two_all", "moments_sgd_all", "moments_features", "marginal_exact", "marginal_beam")


def draw(scores: pd.DataFrame) -> Figure:
    """A panel a window size, test accuracy against the work until then."""
    shown = scores[scores["estimator"].isin(SHOWN)]
    windows = in_order(shown["window"].unique())
    figure, axes = style.panels(2, 2, height=2.4, used=len(windows))
    for axis, window in zip(axes.flat, windows, strict=False):
        own = shown[shown["window"] == window]
        table = style.interval(own, ["estimator", "passes"], "accuracy")
        table["work"] = own.groupby(["estimator", "passes"])["work"].mean().to_numpy()
        for name, look in looks_of(table["estimator"]).items():
            style.band(axis, table[table["estimator"] == name], "work", look, markersize=2.5)
        late = table.loc[table["passes"] >= 0.1, "mean"]
        axis.set(xscale="log", title=row_name(window), ylim=(late.min() - 0.02, table["mean"].max() + 0.02))
    style.label(axes[:, : len(windows)], "work (numbers changed)", "test accuracy")
    style.finish(figure)
    return figure
