"""Figure 2: error over the share of positives in the test set, by method."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from replication import style

NAMES = {
    "mmd": "MMD",
    "psvm": "∝SVM",
    "psvm_unmixed": "∝SVM, unmixed",
    "set_id_logistic": "set-id logistic, unmixed",
    "mmd_rff": "MMD, random features",
    "emq_labelled": "EMQ (labels of instances)",
    "classify_count_labelled": "classify & count (labels)",
}


def draw(scores: pd.DataFrame) -> Figure:
    """One panel a data set; bands are 95 % intervals over trials."""
    datasets = list(dict.fromkeys(scores["dataset"]))
    figure, axes = style.panels(1, len(datasets), height=2.6, sharey=True)
    looks = style.looks(NAMES)
    means = style.interval(scores, ["dataset", "method", "positive_fraction"], "l1_error")
    for panel, dataset in zip(axes[0], datasets, strict=True):
        for name, label in NAMES.items():
            rows = means[(means["dataset"] == dataset) & (means["method"] == name)]
            if len(rows):
                x = rows["positive_fraction"]
                style.band(
                    panel,
                    x,
                    rows["mean"],
                    rows["low"].clip(lower=0),
                    rows["high"],
                    label=label,
                    **looks[name],
                )
        panel.set_title(dataset)
        panel.set_xlabel("positives in the test set")
    axes[0, 0].set_ylim(0, 1.3 * float(means["mean"].max()))
    axes[0, 0].set_ylabel("L1 error of the class ratios")
    style.letter(axes)
    style.legend(figure, axes[0, 0])
    return figure
