"""What figures 2 and 3 and their companions draw: the error of the class ratios, one panel a data set."""

from __future__ import annotations

from math import ceil
from typing import Literal

import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.papers.class_ratio.palette import METHODS


def error_panels(
    scores: pd.DataFrame, by: Literal["mechanism", "method"], x: str, label: str, sharey: bool = False
) -> Figure:
    """Means over draws and their 95 % intervals over trials; what never had a scale is named in its panel."""
    datasets = list(dict.fromkeys(scores["dataset"]))
    drawn = [name for name in METHODS if name in set(scores[by])]
    each = scores.groupby(["dataset", by, x, "trial"], as_index=False)["l1_error"].mean()
    means = style.interval(each.dropna(), ["dataset", by, x], "l1_error")
    figure, axes = style.panels(1, len(datasets), height=2.6, sharey=sharey)
    for panel, dataset in zip(axes[0], datasets, strict=True):
        own = means[means["dataset"] == dataset]
        missing = []
        for name in drawn:
            look, rows = METHODS[name], own[own[by] == name]
            low = rows["low"].clip(lower=0)
            style.band(panel, rows[x], rows["mean"], low, rows["high"], label=look.label, **look.line)
            if rows.empty:
                missing.append(f"{look.label}: no σ")
        panel.text(0.98, 0.98, "\n".join(missing), transform=panel.transAxes, ha="right", va="top", fontsize=6)
        panel.set_title(dataset)
        panel.set_xlabel(label)
        panel.set_ylim(0, 1.3 * float((means if sharey else own)["mean"].max()))
    axes[0, 0].set_ylabel("L1 error of the class ratios")
    style.letter(axes)
    style.legend(figure, axes[0, 0], columns=ceil(len(drawn) / ceil(len(drawn) / 4)))
    return figure
