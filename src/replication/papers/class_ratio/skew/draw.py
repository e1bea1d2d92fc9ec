"""Error over the skew of the training sets: learning wants skew, privacy wants balance."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from replication import style

NAMES = {
    "none": "no privacy",
    "laplace": "Laplace",
    "scaled_dirichlet": "scaled Dirichlet (paper)",
    "scaled_dirichlet_tight": "scaled Dirichlet (tight)",
    "gaussian_analytic": "Gaussian (analytic)",
}


def draw(scores: pd.DataFrame) -> Figure:
    """One panel a data set; bands are 95 % intervals over trials."""
    datasets = list(dict.fromkeys(scores["dataset"]))
    figure, axes = style.panels(1, len(datasets), height=2.5)
    looks = style.looks(NAMES)
    means = style.interval(scores.dropna(subset="l1_error"), ["dataset", "mechanism", "rho"], "l1_error")
    for panel, dataset in zip(axes[0], datasets, strict=True):
        for name, label in NAMES.items():
            rows = means[(means["dataset"] == dataset) & (means["mechanism"] == name)]
            low = rows["low"].clip(lower=0)
            style.band(panel, rows["rho"], rows["mean"], low, rows["high"], label=label, **looks[name])
        panel.set_title(dataset)
        panel.set_xlabel("ρ: small is skewed")
        panel.set_ylim(0, 1.15 * float(means.loc[means["dataset"] == dataset, "mean"].max()))
    axes[0, 0].set_ylabel("mean L1 error")
    style.letter(axes)
    style.legend(figure, axes[0, 0], columns=3)
    return figure
