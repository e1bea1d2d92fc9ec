"""Error over the number of sets into which the same instances are cut, without and with privacy."""

import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.palette import DATASETS
from replication.papers.class_ratio.panels import panel_rows


def draw(scores: pd.DataFrame) -> Figure:
    """Top: methods with exact proportions; below: MMD with veiled ones."""
    exact = scores[scores["mechanism"] == "none"]
    veiled = scores[(scores["mechanism"] != "none") & (scores["method"] == "mmd")]
    rows = {"exact": exact.assign(shown=exact["method"]), "MMD, veiled": veiled.assign(shown=veiled["mechanism"])}
    figure = panel_rows(rows, "shown", "sets", "number of sets", 2.2, sharey=False)
    names = list(dict.fromkeys(scores["dataset"]))
    for panel, dataset in zip(figure.axes, names * len(rows), strict=True):
        sets = sorted(scores.loc[scores["dataset"] == dataset, "sets"].unique())
        style.log_axis(panel, sets[::2])
    return figure


def facts(scores: pd.DataFrame) -> dict[str, str]:
    """By how much ∝SVM's error and MMD's grow from the fewest sets to the most, with exact proportions."""
    exact = scores[scores["mechanism"] == "none"].groupby(["method", "dataset", "sets"])["l1_error"].mean()
    grown: dict[str, list[str]] = {}
    for (method, dataset), own in exact.groupby(level=[0, 1]):
        errors = own.droplevel([0, 1]).sort_index()
        words = f"{DATASETS[dataset].label} {errors.iloc[0]:.3f} to {errors.iloc[-1]:.3f}"
        grown.setdefault(method, []).append(words)
    names = {"mmd": "MMD", "psvm": "∝SVM"}
    return {"grown": "; ".join(f"{names[name]}: {', '.join(parts)}" for name, parts in grown.items())}
