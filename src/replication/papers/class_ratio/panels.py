"""What figures 2 and 3 and their companions draw: the error of the class ratios, one panel a data set."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style
from replication.palette import METHODS, looks_of


def panel_rows(
    rows: Mapping[str, pd.DataFrame],
    by: str,
    x: str,
    label: str,
    name: str,
    columns: str = "dataset",
    sharey: bool = True,
) -> Figure:
    """A row of panels for each part of the scores, on one scale where `sharey` says so; one column a data set."""
    names = list(dict.fromkeys(value for part in rows.values() for value in part[columns]))
    figure, axes = style.panels(len(rows), len(names), height=1.75, sharex="col", sharey="row" if sharey else False)
    for line, (title, part) in zip(axes, rows.items(), strict=True):
        each = part.groupby([columns, by, x, "trial"], as_index=False)["l1_error"].mean()
        means = style.interval(each.dropna(), [columns, by, x], "l1_error")
        for panel, value in zip(line, names, strict=True):
            own = means[means[columns] == value]
            for look, lines in by_method(own, by):
                style.band(panel, lines.assign(low=lines["low"].clip(lower=0)), x, look, markersize=2.5, linewidth=1)
            panel.set_title(f"{value}, {title}")
            panel.set_ylim(0, 1.3 * float((means if sharey else own)["mean"].max()))
    style.label(axes, label, name)
    style.finish(figure)
    return figure


def by_method(scores: pd.DataFrame, by: str) -> Iterator[tuple[palette.Method, pd.DataFrame]]:
    """Each look with the rows of its method, in the palette's order."""
    for name, look in looks_of(scores[by]).items():
        yield look, scores[scores[by] == name]


def label_ends(axes: Axes, gap: float = 0.085) -> None:
    """Name each line beside its end in the place of a legend; names keep `gap` of the panel's height apart."""
    lines = [line for line in axes.get_lines() if not str(line.get_label()).startswith("_")]
    shown = []
    for line in lines:
        drawn = np.asarray(line.get_ydata(), dtype=float)
        drawn = drawn[np.isfinite(drawn)]
        if len(drawn):
            height = axes.transAxes.inverted().transform(axes.transData.transform((0, drawn[-1])))[1]
            shown.append((float(np.clip(height, 0, 1)), line))
    shown.sort(key=lambda pair: pair[0])
    places = np.array([height for height, _ in shown])
    for _ in range(200):  # neighbours that are too near push each other apart
        overlap = np.maximum(gap - np.diff(places), 0.0)
        places[:-1] -= overlap / 2
        places[1:] += overlap / 2
    for place, (_, line) in zip(places, shown, strict=True):
        axes.annotate(
            str(line.get_label()), (1.03, place), xycoords="axes fraction", va="center", fontsize=6,
            color=line.get_color(), annotation_clip=False,
        )  # fmt: skip


def true_delta(
    axes: Axes, methods: Iterable[tuple[palette.Method, pd.DataFrame]], x: str, y: str, claimed: float, **other: Any
) -> None:
    """The δ that each method really has, down to none at all, and the one that is claimed."""
    for look, rows in methods:
        values = rows.groupby(x)[y].first(skipna=False)  # where nothing is published the line breaks
        axes.plot(values.index, values, label=look.label, **look.line, **other)
    style.level(axes, claimed, METHODS["claimed"])
    axes.set_yscale("symlog", linthresh=1e-4)
    axes.set_ylim(-2e-5, 1.5)
