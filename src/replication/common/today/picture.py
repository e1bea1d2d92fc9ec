"""One picture for all of them: error against the exact level of a label or record, a panel a data set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from textwrap import fill

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties

from replication import style
from replication.palette import METHODS, looks_of

#: Of a logarithmic axis of errors.
TICKS = (0.2, 0.5, 1, 2, 5, 10, 15, 20, 50)


def draw_levels(
    scores: pd.DataFrame,
    shown: Sequence[str],
    title: str,
    titles: Mapping[str, str],
    y: str,
    levels: Sequence[str] = (),
    top: float | None = None,
    logarithmic: bool = False,
) -> Figure:
    """Mean errors of the methods `shown` with their intervals; those of `levels` go across."""
    there = set(scores["dataset"])
    names = [*(name for name in titles if name in there), *sorted(there - set(titles))]
    columns = len(names) if len(names) < 4 else 2
    height = 2.3 if len(names) > 3 else 2.9
    figure, axes = style.panels(-(-len(names) // columns), columns, used=len(names), height=height)
    unit = next(unit for unit in scores["unit"] if unit != "none")
    for name, panel in zip(names, axes.flat, strict=False):
        part = scores[scores["dataset"] == name].dropna(subset="error")
        drawn = part[part["method"].isin(shown)]
        for method, look in looks_of(drawn["method"]).items():
            style.curve(panel, drawn[drawn["method"] == method], "epsilon", "error", look)
        for method in levels:
            own = part.loc[part["method"] == method, "error"]
            if len(own):
                style.level(panel, own.mean(), METHODS[method])
        style.log_axis(panel, _ticks(drawn["epsilon"].unique()))
        panel.set_title(titles.get(name, name))
        if logarithmic:
            panel.set_yscale("log")
            low, high = panel.get_ylim()
            panel.set_yticks(TICKS, [f"{tick:g}" for tick in TICKS])
            panel.set_ylim(low, high)
            panel.minorticks_off()
        else:
            panel.set_ylim(0, top)
    style.label(axes, f"exact ε of a {unit} (nats)", y)
    style.finish(figure, columns=3)
    head(figure, title)
    return figure


def head(figure: Figure, title: str) -> None:
    """The answer above the legend, which takes care of its room."""
    for legend in figure.legends:
        legend.set_title(fill(title, 85), FontProperties(size=9.5, weight="bold"))
        legend.set_alignment("left")


def _ticks(levels: Iterable[float]) -> list[float]:
    """The levels, but for those that a name of a larger one would cover."""
    kept: list[float] = []
    for level in sorted(levels):
        if not kept or level > 1.9 * kept[-1]:
            kept.append(float(f"{level:.2g}"))
    return kept
