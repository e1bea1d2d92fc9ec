"""What published sets give away against what they are worth, and the best design at a given total ε."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style
from replication.palette import ATTACKS, DESIGNS


def draw(scores: pd.DataFrame) -> Figure:
    """Top: attack accuracy against error, a point a design; below: error over the total ε, a line a split of it."""
    datasets = list(dict.fromkeys(scores["dataset"]))
    figure, axes = style.panels(2, len(datasets), height=2.1)
    for column, dataset in zip(axes.T, datasets, strict=True):
        own = scores[scores["dataset"] == dataset]
        _attacks(column[0], own[(own["design"] != "randomised") & (own["proportions"] == "exact")])
        column[0].set_title(dataset)
        split = own[(own["design"] == "randomised") & (own["attack"] == "set")]
        for value, look in palette.scale(sorted(set(split["split"])), "{:.0%} of ε for the choice of set").items():
            style.curve(column[1], split[split["split"] == value], "total", "l1_error", look, markersize=3)
        style.log_axis(column[1], sorted(set(split["total"])))
        column[1].set(xlabel="total ε", title=dataset)
        means = split.groupby(["split", "total"])["l1_error"].mean()
        column[1].set_ylim(0, 1.2 * float(means.max()))
        column[0].set(xlabel="L1 error", ylim=(0, 1.03))
    style.label(axes, y=("labels guessed right", "L1 error"))
    style.finish(figure, columns=3)
    return figure


def facts(scores: pd.DataFrame) -> dict[str, str]:
    """What the set alone tells at the most skewed design, its ε, and the best split of each total."""
    told = scores[(scores["design"] == "by_label") & (scores["attack"] == "set")]
    pure = told[told["rho"] == told.groupby("dataset")["rho"].transform("min")].groupby("dataset", sort=False)
    means = pure[["attack_accuracy", "base_rate", "epsilon"]].mean()
    split = scores[scores["design"] == "randomised"].groupby(["dataset", "total", "split"])["l1_error"].mean()
    best = split.groupby(level=[0, 1]).idxmin()
    words = [f"{dataset} {total:g}: {place[2]:.0%}" for (dataset, total), place in best.items()]
    return {
        "told": "; ".join(
            f"{name} {row['attack_accuracy']:.0%} against {row['base_rate']:.0%} by guessing the commonest class, "
            f"ε = {row['epsilon']:.2g}"
            for name, row in means.iterrows()
        ),
        "best": "; ".join(words),
    }


def _attacks(panel: Axes, scores: pd.DataFrame) -> None:
    means = scores.groupby(["design", "attack", "rho"], dropna=False)[["l1_error", "attack_accuracy"]]
    table = means.agg(["mean", "min", "max"]).reset_index()
    for (design, attack), rows in table.groupby(["design", "attack"], sort=False):
        look = DESIGNS[design]
        fill = {} if attack == "set" else {"markerfacecolor": "none"}
        x, y = rows["l1_error"], rows["attack_accuracy"]
        label = f"{look.label}, {ATTACKS[attack]}"
        panel.plot(x["mean"], y["mean"], label=label, **{**look.line, **fill})
        panel.errorbar(
            x["mean"], y["mean"], xerr=[x["mean"] - x["min"], x["max"] - x["mean"]], fmt="none", ecolor=look.color,
            linewidth=0.7,
        )  # fmt: skip
    panel.axhline(scores["base_rate"].mean(), color=palette.MUTED, linewidth=0.8, label="commonest class")
