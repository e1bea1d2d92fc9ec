"""Bounds against what they bound, over the size of the sets."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.judging.words import amount
from replication.palette import DATASETS

TITLES = {
    "theorem_1": "Theorem 1: ‖ρ̂ − ρ‖",
    "lemma_1": "Lemma 1: ‖P̂ − P‖",
    "lemma_2_printed": "Lemma 2, printed",
    "lemma_2_corrected": "Lemma 2, corrected",
    "lemma_3": "Lemma 3: √ of the rise",
    "lemma_4": "Lemma 4: ‖P̃ − P̂‖",
}


def facts(scores: pd.DataFrame) -> dict[str, str]:
    """The least δ by Chebyshev's inequality for the smallest set that was tried, and Q(D) with either matrix."""
    least = scores[scores["quantity"] == "chebyshev_least"].sort_values("n")
    ratio = scores[scores["quantity"] == "condition"].replace(np.inf, np.nan).dropna(subset=["bound", "actual"])
    last = ratio[ratio["n"] == ratio.groupby("dataset")["n"].transform("max")].groupby("dataset")[["bound", "actual"]]
    words = [
        f"{DATASETS[name].label} {row['bound']:.2g} and {row['actual']:.2g}" for name, row in last.mean().iterrows()
    ]
    return {
        "chebyshev": amount(float(least["actual"].iloc[0])) if len(least) else "not known",
        "condition": "with the largest sets " + ", ".join(words),
    }


def draw(scores: pd.DataFrame) -> Figure:
    """One panel a statement: dashed and hollow the bound, solid what was measured."""
    figure, axes = style.panels(2, len(TITLES) // 2, height=2.3, sharex=True)
    for panel, (quantity, title) in zip(axes.flat, TITLES.items(), strict=True):
        rows = scores[scores["quantity"] == quantity].replace(np.inf, np.nan)
        for dataset, own in rows.groupby("dataset"):
            look = DATASETS[dataset]
            table = own.groupby("n")[["bound", "actual"]].agg(["mean", "min", "max"])
            actual = table["actual"].rename(columns={"min": "low", "max": "high"}).reset_index()
            style.band(panel, actual, "n", look, label=f"{look.label}, measured")
            bound = {**look.line, "linestyle": "--", "markerfacecolor": "none"}
            panel.plot(table.index, table["bound", "mean"], label=f"{look.label}, bound", **bound)
        panel.set(title=title, yscale="log")
        style.log_axis(panel, sorted(rows["n"].unique())[::2])
    style.label(axes, "instances in each set n")
    style.finish(figure, columns=4)
    return figure
