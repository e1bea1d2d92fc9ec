"""The card that says in ten seconds what held, what held under conditions, what did not, and on which data."""

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style

#: Verdicts from left to right, with headline, colour and mark.
COLUMNS = {
    "reproduced": ("held", style.COLOURS[2], "●"),
    "conditional": ("held in part", style.COLOURS[4], "◐"),
    "contradicted": ("did not hold", style.COLOURS[1], "○"),
    "undecided": ("undecided", style.COLOURS[5], "◌"),
    "untestable": ("not testable", style.COLOURS[7], "–"),
}
TITLES = {
    "linear_moments": "linear moments",
    "mean_operator": "mean operator",
    "class_ratio": "class ratios",
    "spread": "spread likelihood",
}
#: What stands behind a claim that rests on less than the paper's own data, or on none.
MARKS = {"subset": "ˢ", "stand-in": "*", "no data": "°"}
KEY = "no mark: the paper's data    ˢ a subset of it    * a stand-in for it    ° exact or simulated, no data"
LINE, SIZE, WIDTH = 0.115, 5.2, 30


def draw(claims: pd.DataFrame) -> Figure:
    """A row a paper, a column a verdict; above it how many claims each column holds."""
    papers = list(dict.fromkeys(claims["paper"]))
    cells = {
        (paper, verdict): _lines(claims[(claims["paper"] == paper) & (claims["verdict"] == verdict)])
        for paper in papers
        for verdict in COLUMNS
    }
    depths = [max(len(cells[paper, verdict]) for verdict in COLUMNS) + 2.2 for paper in papers]
    head, foot = 5.2, 1.6
    total = head + sum(depths) + foot
    figure, axes = style.panels(height=total * LINE, width=style.PAGE)
    panel = axes[0, 0]
    panel.set_axis_off()
    panel.set_xlim(0, len(COLUMNS))
    panel.set_ylim(total, 0)
    _headlines(panel, claims["verdict"].value_counts().to_dict())
    top = head
    for paper, depth in zip(papers, depths, strict=True):
        _paper(panel, top, paper, claims[claims["paper"] == paper], {v: cells[paper, v] for v in COLUMNS})
        top += depth
    panel.text(0.02, total - 0.5, KEY, fontsize=SIZE, color=style.MUTED, va="center")
    return figure


def _headlines(panel: Axes, counts: dict[str, int]) -> None:
    """The numbers, as a bar cut in proportion and as a heading over each column."""
    whole, start = max(sum(counts.values()), 1), 0.0
    for i, (verdict, (words, colour, mark)) in enumerate(COLUMNS.items()):
        count = counts.get(verdict, 0)
        width = len(COLUMNS) * count / whole
        panel.barh(0.8, width, left=start, height=1.2, color=colour)
        start += width
        panel.text(i + 0.02, 3.2, f"{mark} {count} {words}", fontsize=8.5, fontweight="bold", color=_ink(colour),
                   va="center")  # fmt: skip


def _paper(panel: Axes, top: float, paper: str, claims: pd.DataFrame, cells: dict[str, Sequence[str]]) -> None:
    panel.plot([0, len(COLUMNS)], [top - 0.5, top - 0.5], color=style.MUTED, linewidth=0.5)
    sizes = " · ".join(
        f"{COLUMNS[verdict][2]} {count}" for verdict in COLUMNS if (count := int((claims["verdict"] == verdict).sum()))
    )
    title: dict[str, Any] = {"fontsize": 7, "va": "center"}
    panel.text(0.02, top + 0.3, TITLES.get(paper, paper.replace("_", " ")), fontweight="bold", **title)
    panel.text(len(COLUMNS), top + 0.3, sizes, ha="right", color=style.MUTED, **title)
    for i, (verdict, lines) in enumerate(cells.items()):
        look: dict[str, Any] = {"fontsize": SIZE, "va": "center", "color": _ink(COLUMNS[verdict][1])}
        for j, line in enumerate(lines):
            indent = 0.08 if line.startswith(" ") else 0.02
            panel.text(i + indent, top + 1.6 + j, line.strip(), **look)


def _lines(claims: pd.DataFrame) -> list[str]:
    """The claims' names, wrapped, each with the mark of its data."""
    lines: list[str] = []
    for claim in claims.itertuples():
        mark = MARKS.get(str(claim.grade), "")
        first, *rest = wrap(str(claim.claim).replace("-", " ") + mark, WIDTH) or [""]
        lines += [first, *(f"  {line}" for line in rest)]
    return lines


def _ink(colour: str) -> tuple[float, ...]:
    """A colour dark enough for small type."""
    from matplotlib.colors import to_rgb

    return tuple(0.62 * part for part in to_rgb(colour))
