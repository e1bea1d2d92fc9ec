"""Draw one budget for both: membership by randomised response, proportions with what is left."""

import pandas as pd
from matplotlib.figure import Figure

from replication import palette, style
from replication.palette import DATASETS


def draw(scores: pd.DataFrame) -> Figure:
    """Error over the total ε, one line a split of it, one panel a data set."""
    split = scores[(scores["design"] == "randomised") & (scores["attack"] == "set")]
    datasets = list(dict.fromkeys(split["dataset"]))
    figure, axes = style.panels(-(-len(datasets) // 2), 2, height=2.3, used=len(datasets), sharex=True)
    looks = palette.scale(sorted(set(split["split"])), "{:.0%} of ε for the set")
    for panel, dataset in zip(axes.flat, datasets, strict=False):
        own = split[split["dataset"] == dataset]
        for value, look in looks.items():
            style.curve(panel, own[own["split"] == value], "total", "l1_error", look)
        style.log_axis(panel, sorted(set(split["total"])))
        panel.set(
            title=DATASETS[dataset].label, ylim=(0, 1.2 * own.groupby(["split", "total"])["l1_error"].mean().max())
        )
    style.label(axes, "total ε", "L1 error")
    style.finish(figure, columns=4)
    return figure


def facts(scores: pd.DataFrame) -> dict[str, str]:
    """The split with the least error, by data set and total."""
    split = scores[scores["design"] == "randomised"].groupby(["dataset", "total", "split"])["l1_error"].mean()
    best = split.groupby(level=[0, 1]).idxmin()
    words = (f"{DATASETS[name].label} {total:g}: {place[2]:.0%}" for (name, total), place in best.items())
    return {"best": "; ".join(words)}
