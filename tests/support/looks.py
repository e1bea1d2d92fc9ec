"""What any picture must look like: few panels and names, readable type, nothing empty, no two methods alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.table import Table

from replication import style

MOST = 6
#: Pictures of more than that many panels: digits, and the paper's own figure of eight flip probabilities.
MANY = {"spread/fig1", "spread/fig2", "spread/fig4"}


def complaints(name: str, figure: Figure) -> list[str]:
    """What is wrong with a picture."""
    figure.canvas.draw()
    cut = [axes for axes in figure.axes for table in axes.tables if not _holds(figure, table)]
    panels = [axes for axes in figure.axes if not axes.tables]
    found = [*_looks_alike(panels), *["a table is cut"] * len(cut)]
    if name not in MANY and len(panels) > MOST:
        found.append(f"{len(panels)} panels")
    entries = [
        text.get_text()
        for legend in (*figure.legends, *(axes.get_legend() for axes in panels))
        if legend
        for text in legend.get_texts()
    ]
    if len(entries) > MOST:
        found.append(f"a legend of {len(entries)}: {entries}")
    found += [f"no data in '{axes.get_title(loc='left')}'" for axes in panels if not axes.has_data()]
    least = style.SMALL * figure.get_figwidth() / style.PAGE
    small = {
        text.get_text()
        for axes in panels
        for text in _texts(axes)
        if text.get_text() and text.get_fontsize() < least - 1e-6
    }
    return [*found, *([f"too small: {sorted(small)}"] if small else [])]


def _holds(figure: Figure, table: Table) -> bool:
    """Whether a table lies within the picture's sides."""
    box = table.get_window_extent()
    return bool(box.x0 >= 0 and box.x1 <= figure.bbox.x1)


def _texts(axes: Axes) -> list[Any]:
    legend = axes.get_legend()
    ticks = [*axes.get_xticklabels(), *axes.get_yticklabels()]
    return [*ticks, axes.xaxis.label, axes.yaxis.label, *axes.texts, *(legend.get_texts() if legend else [])]


def _looks_alike(panels: list[Axes]) -> Iterator[str]:
    """Lines of other names with the same colour, marker, fill and dash in one picture."""
    seen: dict[tuple[str, ...], str] = {}
    for axes in panels:
        for line in axes.get_lines():
            label = str(line.get_label())
            if label.startswith("_"):
                continue
            look = (
                to_hex(line.get_color()),
                str(line.get_marker()),
                str(line.get_linestyle()),
                to_hex(line.get_markerfacecolor()) if line.get_markerfacecolor() != "none" else "none",
            )
            if seen.setdefault(look, label) != label:
                yield f"'{label}' looks like '{seen[look]}'"
