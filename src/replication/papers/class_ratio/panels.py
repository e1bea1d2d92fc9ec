"""What figures 2 and 3 and their companions draw: the error of the class ratios, one panel a data set."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.palette import DATASETS, looks_of


def panel_rows(
    rows: Mapping[str, pd.DataFrame], by: str, x: str, label: str, height: float = 2.5, sharey: bool = True
) -> Figure:
    """A row of panels for each part of the scores, on one scale where `sharey` says so; one column a data set."""
    names = list(dict.fromkeys(value for part in rows.values() for value in part["dataset"]))
    figure, axes = style.panels(len(rows), len(names), height=height, sharex="col", sharey="row" if sharey else False)
    for line, (title, part) in zip(axes, rows.items(), strict=True):
        for panel, dataset in zip(line, names, strict=True):
            own = part[part["dataset"] == dataset]
            draw_errors(panel, own, by, x)
            highest = part if sharey else own
            panel.set_ylim(0, 1.3 * float(highest.groupby(["dataset", by, x])["l1_error"].mean().max()))
            panel.set_title(", ".join(filter(None, (DATASETS[dataset].label, title))))
    style.label(axes, label, "L1 error")
    style.finish(figure)
    return figure


def draw_errors(axes: Axes, scores: pd.DataFrame, by: str, x: str) -> None:
    """The mean error of each method with its interval; the errors of one trial are one observation."""
    trials = scores.groupby([by, x, "trial"], as_index=False)["l1_error"].mean()
    known = trials.dropna()
    for name, look in looks_of(known[by]).items():
        style.curve(axes, known[known[by] == name], x, "l1_error", look)
