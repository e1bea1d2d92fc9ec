"""Error over the skew of the training sets, and what the sets give away: learning wants skew, privacy wants balance."""

import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.palette import ATTACKS, DESIGNS, METHODS
from replication.papers.class_ratio.panels import by_method


def draw(scores: pd.DataFrame) -> Figure:
    """Top: error, by mechanism; below: how many labels the published sets tell by themselves."""
    datasets = list(dict.fromkeys(scores["dataset"]))
    figure, axes = style.panels(2, len(datasets), height=1.9, sharex="col")
    for column, dataset in zip(axes.T, datasets, strict=True):
        own = scores[scores["dataset"] == dataset]
        means = style.interval(own.dropna(subset="l1_error"), ["mechanism", "rho"], "l1_error")
        for look, rows in by_method(means, "mechanism"):
            style.band(column[0], rows.assign(low=rows["low"].clip(lower=0)), "rho", look, markersize=3)
        missing = [
            METHODS[name].label for name in dict.fromkeys(own["mechanism"]) if name not in set(means["mechanism"])
        ]
        words = "\n".join(f"{name}: no σ" for name in missing)
        column[0].text(0.02, 0.98, words, transform=column[0].transAxes, va="top", fontsize=6)
        column[0].set(title=f"{dataset}, error", ylim=(0, 1.25 * means["mean"].max()))
        told = own.groupby("rho")["attack_accuracy"].mean()
        look = DESIGNS["by_label"]
        column[1].plot(told.index, told, label=f"{look.label}: guessed right {ATTACKS['set']}", **look.line)
        column[1].set(title=f"{dataset}, attack", ylim=(0, 1.03))
    style.label(axes, "ρ: small is skewed", ("L1 error", "labels guessed right"))
    style.finish(figure, columns=3)
    return figure
