"""Draw counts of a few tags: test accuracy against passes, a column a number of tags, a row a window size."""

import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.palette import looks_of
from replication.papers.linear_moments.fig7.draw import in_order, row_name, scale_passes


def draw(scores: pd.DataFrame) -> Figure:
    """Means with 95 % intervals over trials."""
    test = scores[scores["split"] == "test"]
    windows, tags = in_order(test["window"].unique()), sorted(test["tags"].unique())
    curves = style.interval(test, ["window", "tags", "estimator", "passes"], "accuracy")
    figure, axes = style.panels(len(windows), len(tags), height=1.7, sharex=True, sharey="row")
    for i, window in enumerate(windows):
        for j, number in enumerate(tags):
            part = curves[(curves["window"] == window) & (curves["tags"] == number)].set_index("estimator")
            for name, look in looks_of(part.index).items():
                style.band(axes[i, j], part.loc[[name]], "passes", look, markersize=2)
            scale_passes(axes[i, j])
            axes[i, j].set_title(f"{row_name(window)}, {number} tag{'s' if number > 1 else ''}")
    style.label(axes, "passes", "test accuracy")
    style.finish(figure, columns=3)
    return figure
