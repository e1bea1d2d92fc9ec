"""Draw counts of a few tags: test accuracy against passes, a panel an estimator and window size, a line a number."""

import pandas as pd
from matplotlib.figure import Figure

from replication import palette, style
from replication.papers.linear_moments.fig7.draw import in_order, row_name, scale_passes

SHOWN = {"moments_all": "Moments", "marginal_beam": "Marginal likelihood"}


def draw(scores: pd.DataFrame) -> Figure:
    """Means with 95 % intervals over trials."""
    test = scores[(scores["split"] == "test") & scores["estimator"].isin(SHOWN)]
    windows = in_order(test["window"].unique())
    looks = palette.scale(sorted(test["tags"].unique()))
    curves = style.interval(test, ["window", "tags", "estimator", "passes"], "accuracy")
    figure, axes = style.panels(len(windows), len(SHOWN), height=2.3, sharex=True, sharey=True)
    for i, window in enumerate(windows):
        for axis, (estimator, title) in zip(axes[i], SHOWN.items(), strict=True):
            part = curves[(curves["window"] == window) & (curves["estimator"] == estimator)]
            for number, look in looks.items():
                named = f"{number} tag{'s' if number > 1 else ''} counted"
                style.band(axis, part[part["tags"] == number], "passes", look, label=named, markersize=2.5)
            scale_passes(axis)
            axis.set_title(f"{title}, {row_name(window)}")
    style.label(axes, "passes", "test accuracy")
    style.finish(figure)
    return figure
