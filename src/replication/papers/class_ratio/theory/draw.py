"""Bounds against what they bound: over the set size, in the limit (11), and the prior's floor over the classes."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style
from replication.judging.words import amount
from replication.palette import DATASETS

TITLES = {
    "theorem_1": "Theorem 1",
    "lemma_1": "Lemma 1",
    "lemma_2_printed": "Lemma 2, printed",
    "lemma_2_corrected": "Lemma 2, corrected",
    "lemma_3": "Lemma 3",
    "lemma_4": "Lemma 4",
    "condition": "Q(D): defined (dashed), discussed",
    "asymptotic_delta": "δ by (11) as ε → 0",
    "prior_floor": "floor of a posterior",
}
VALUES = {
    "theorem_1": "‖ρ̂ − ρ‖",
    "lemma_2_printed": "‖α̂ − α*‖",
    "lemma_2_corrected": "‖α̂ − α*‖",
    "lemma_1": "‖P̂ − P‖, Frobenius",
    "lemma_3": "root of the rise",
    "lemma_4": "‖P̃ − P̂‖, Frobenius",
    "condition": "maxsing(P̂) over minsing",
    "asymptotic_delta": "δ",
    "prior_floor": "least ε",
}
AXES = {"asymptotic_delta": "labels in the set m", "prior_floor": "classes c"}


def facts(scores: pd.DataFrame) -> dict[str, str]:
    """The least δ by Chebyshev's inequality for the smallest set that was tried, and Q(D) with either matrix."""
    least = scores[scores["quantity"] == "chebyshev_least"].sort_values("n")
    ratio = scores[scores["quantity"] == "condition"].replace(np.inf, np.nan).dropna(subset=["bound", "actual"])
    last = (
        ratio[ratio["n"] == ratio.groupby("dataset")["n"].transform("max")]
        .groupby("dataset")[["bound", "actual"]]
        .mean()
    )
    words = [f"{name} {row['bound']:.2g} and {row['actual']:.2g}" for name, row in last.iterrows()]
    return {
        "chebyshev": amount(float(least["actual"].iloc[0])) if len(least) else "not known",
        "condition": "with the largest sets " + ", ".join(words),
    }


def draw(scores: pd.DataFrame) -> Figure:
    """One panel a quantity: dashed the bound, solid what was measured."""
    figure, axes = style.panels(3, 3, height=1.9)
    for panel, (quantity, title) in zip(axes.ravel(), TITLES.items(), strict=True):
        rows = scores[scores["quantity"] == quantity]
        if rows["dataset"].isna().all():
            _exact(panel, rows.sort_values("n"), quantity)
        else:
            _measured(panel, rows)
        if quantity != "prior_floor":
            panel.set(xscale="log", yscale="log")
        if quantity not in AXES:
            style.log_axis(panel, sorted(rows["n"].unique()))
        panel.set(title=title, xlabel=AXES.get(quantity, "instances in each set n"), ylabel=VALUES[quantity])
    style.finish(figure, columns=3)
    return figure


def _measured(panel: Axes, rows: pd.DataFrame) -> None:
    for dataset, own in rows.groupby("dataset"):
        own = own.replace(np.inf, np.nan)
        table = own.groupby("n")[["bound", "actual"]].agg(["mean", "min", "max"])
        actual = table["actual"].rename(columns={"min": "low", "max": "high"}).reset_index()
        look = DATASETS[dataset]
        style.band(panel, actual, "n", look, label=f"{look.label}, measured")
        bound = {**look.line, "linestyle": "--", "markerfacecolor": "none"}
        panel.plot(table.index, table["bound", "mean"], label=f"{look.label}, bound", **bound)


def _exact(panel: Axes, rows: pd.DataFrame, quantity: str) -> None:
    """A bound beside the exact value; the floor is itself exact, and squares show what enumeration finds."""
    if quantity == "prior_floor":
        panel.plot(rows["n"], rows["actual"], "s", color=palette.INK, label="largest loss, enumerated")
        panel.plot(rows["n"], rows["bound"], "--", color=palette.MUTED, label="closed form")
        return
    panel.plot(rows["n"], rows["actual"], "-", color=palette.INK, marker="s", label="exact")
    panel.plot(rows["n"], rows["bound"], "--", color=palette.MUTED, marker="o", markerfacecolor="none", label="bound")
