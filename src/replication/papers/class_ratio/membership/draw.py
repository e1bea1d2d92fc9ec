"""What published sets give away by who is in them, against what they are worth to a learner."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style
from replication.palette import ATTACKS, DATASETS, DESIGNS

COMMONEST = palette.Method("commonest class", palette.MUTED, "")


def draw(scores: pd.DataFrame) -> Figure:
    """Attack accuracy against error, a point a design, one panel a data set."""
    shown = scores[(scores["design"] != "randomised") & (scores["proportions"] == "exact")]
    datasets = list(dict.fromkeys(shown["dataset"]))
    figure, axes = style.panels(-(-len(datasets) // 2), 2, height=2.5, used=len(datasets), sharey=True)
    for panel, dataset in zip(axes.flat, datasets, strict=False):
        _attacks(panel, shown[shown["dataset"] == dataset])
        panel.set(title=DATASETS[dataset].label, ylim=(0, 1.03))
    style.label(axes, "L1 error of the learner", "labels guessed right")
    style.finish(figure)
    return figure


def facts(scores: pd.DataFrame) -> dict[str, str]:
    """What the set alone tells at the most skewed design, and its ε."""
    told = scores[(scores["design"] == "by_label") & (scores["attack"] == "set")]
    pure = told[told["rho"] == told.groupby("dataset")["rho"].transform("min")].groupby("dataset", sort=False)
    means = pure[["attack_accuracy", "base_rate", "epsilon"]].mean()
    return {
        "told": "; ".join(
            f"{DATASETS[str(name)].label} {row['attack_accuracy']:.0%} against {row['base_rate']:.0%} by guessing, "
            f"ε = {row['epsilon']:.2g}"
            for name, row in means.iterrows()
        )
    }


def _attacks(panel: Axes, scores: pd.DataFrame) -> None:
    """Filled: by the set alone; hollow: with the features, too."""
    means = scores.groupby(["design", "attack", "rho"], dropna=False)[["l1_error", "attack_accuracy"]]
    table = means.agg(["mean", "min", "max"]).reset_index()
    for (design, attack), rows in table.groupby(["design", "attack"], sort=False):
        look, fill = DESIGNS[design], {} if attack == "set" else {"markerfacecolor": palette.BLANK}
        x, y = rows["l1_error"], rows["attack_accuracy"]
        panel.hlines(y["mean"], x["min"], x["max"], color=look.color, linewidth=0.9, alpha=0.6)
        panel.plot(x["mean"], y["mean"], label=f"{look.label}, {ATTACKS[attack]}", **{**look.line, **fill})
    style.level(panel, scores["base_rate"].mean(), COMMONEST, above=False)
