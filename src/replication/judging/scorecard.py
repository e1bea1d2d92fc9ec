"""The card that says in ten seconds what held: the headline claims of each paper on one page."""

from collections.abc import Iterator
from textwrap import wrap
from typing import NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style
from replication.judging import words

#: Inches: a line of type, and where claims and findings start; letters that fit there.
LINE, TEXT, FOUND, WIDTH, NARROW = 0.145, 0.25, 4.15, 52, 39
SIZE = 8.5


class Line(NamedTuple):
    """A claim, or the heading of a paper, as it is broken: what it says, what was found, its verdict."""

    text: list[str]
    found: list[str]
    verdict: str = ""

    @property
    def height(self) -> float:
        """In lines of type, with the room below."""
        return max(len(self.text), len(self.found)) + (0.35 if self.verdict else 0.6)


def draw(claims: pd.DataFrame) -> Figure:
    """A line a headline claim: its verdict, what it says, and what was found."""
    lines = list(break_lines(claims))
    total = sum(line.height for line in lines) + 1
    figure, axes = style.panels(height=total * LINE, width=style.PAGE)
    panel = axes[0, 0]
    panel.set_position((0, 0, 1, 1))
    panel.set_axis_off()
    panel.set_xlim(0, style.PAGE)
    panel.set_ylim(total, 0)
    top = 1.0
    for line in lines:
        _write(panel, top, line)
        top += line.height
    return figure


def break_lines(claims: pd.DataFrame) -> Iterator[Line]:
    """The headings of the papers, each with its headline claims."""
    for paper, part in claims.groupby("paper", sort=False):
        if rows := words.headlines(part.to_dict("records")):
            name = words.capitalise(str(paper).replace("_", " "))
            yield Line([f"{name}: of {len(rows)} headline claims {words.count(rows)}"], [])
            for row in rows:
                short, found = words.capitalise(str(row["short"]).rstrip(".")), words.brief(row)
                yield Line(wrap(short, WIDTH), wrap(found, NARROW), str(row["verdict"]))


def _write(panel: Axes, top: float, line: Line) -> None:
    if line.verdict:
        look = palette.VERDICTS[line.verdict]
        panel.plot([0.12], [top], color=look.color, marker=look.marker, markersize=6)
    for x, texts in ((TEXT if line.verdict else 0.05, line.text), (FOUND, line.found)):
        for i, text in enumerate(texts):
            weight = "normal" if line.verdict else "bold"
            panel.text(x, top + i, text, fontsize=SIZE, va="center", fontweight=weight, color=palette.INK)
