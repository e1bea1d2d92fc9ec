"""Figure 3: error of the estimates under privacy, over the mixture of the test set."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from replication import style

NAMES = {
    "none": "no privacy",
    "laplace": "Laplace",
    "laplace_prior": "Laplace prior",
    "scaled_dirichlet": "scaled Dirichlet (paper)",
    "fallback": "scaled Dirichlet, else prior",
    "scaled_dirichlet_tight": "scaled Dirichlet (tight)",
    "gaussian_analytic": "Gaussian (analytic)",
}


def draw(scores: pd.DataFrame) -> Figure:
    """One panel a data set; bands are 95 % intervals over trials of the mean over draws."""
    datasets = list(dict.fromkeys(scores["dataset"]))
    figure, axes = style.panels(1, len(datasets), height=2.6)
    looks = style.looks(NAMES)
    for panel, dataset in zip(axes[0], datasets, strict=True):
        chosen = scores[scores["dataset"] == dataset]
        each = chosen.groupby(["mechanism", "x", "trial"], as_index=False)["l1_error"].mean()
        means = style.interval(each.dropna(), ["mechanism", "x"], "l1_error")
        for name, label in NAMES.items():
            rows = means[means["mechanism"] == name]
            if len(rows):
                style.band(
                    panel, rows["x"], rows["mean"], rows["low"], rows["high"], label=label, **looks[name]
                )
            elif (chosen["mechanism"] == name).any():
                panel.plot([], [], label=label, **looks[name])
                panel.text(
                    0.98, 0.98, f"{label}: no σ", transform=panel.transAxes, ha="right", va="top", fontsize=6
                )
        panel.set_title(dataset)
        panel.set_xlabel("share x in the test set")
        panel.set_ylim(0, 1.4 * float(means["mean"].max()))
    axes[0, 0].set_ylabel("L1 error of the class ratios")
    style.letter(axes)
    style.legend(figure, axes[0, 0])
    return figure
