"""Error over the number of sets into which the same instances are cut."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from replication import style

NAMES = {
    "none": "no privacy",
    "scaled_dirichlet_tight": "scaled Dirichlet (tight)",
    "gaussian_analytic": "Gaussian (analytic)",
    "laplace": "Laplace",
}


def draw(scores: pd.DataFrame) -> Figure:
    """One panel a data set; bands are 95 % intervals over trials."""
    datasets = list(dict.fromkeys(scores["dataset"]))
    figure, axes = style.panels(1, len(datasets), height=2.5)
    looks = style.looks(NAMES)
    means = style.interval(scores.dropna(subset="l1_error"), ["dataset", "mechanism", "sets"], "l1_error")
    for panel, dataset in zip(axes[0], datasets, strict=True):
        own = scores[scores["dataset"] == dataset]
        for name, label in NAMES.items():
            rows = means[(means["dataset"] == dataset) & (means["mechanism"] == name)]
            low = rows["low"].clip(lower=0)
            style.band(panel, rows["sets"], rows["mean"], low, rows["high"], label=label, **looks[name])
        sizes = own.groupby("sets")["n"].first()
        panel.set_xscale("log")
        panel.set_xticks(list(sizes.index), labels=[f"{sets}\n{n:,}" for sets, n in sizes.items()])
        panel.minorticks_off()
        panel.set_title(dataset)
        panel.set_xlabel("number of sets, and their size n")
        panel.set_ylim(0, 1.15 * float(means.loc[means["dataset"] == dataset, "mean"].max()))
    axes[0, 0].set_ylabel("mean L1 error")
    style.letter(axes)
    style.legend(figure, axes[0, 0])
    return figure
