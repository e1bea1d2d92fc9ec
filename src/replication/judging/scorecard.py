"""The card that says in ten seconds what held and by how much: one line a claim, in three blocks."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import asinh, isnan
from textwrap import wrap
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style
from replication.judging.words import printed, span
from replication.palette import VERDICTS

TITLES = {
    "linear_moments": "linear moments",
    "mean_operator": "mean operator",
    "class_ratio": "class ratios",
    "spread": "spread likelihood",
}
#: What a claim rests on, by its marker; nothing random and no data is a small dot.
MARKERS = {"full": ("o", "the paper's data"), "subset": ("D", "a subset of it"), "stand-in": ("s", "a stand-in for it")}
NO_DATA = (".", "no data: exact or simulated")
BLOCKS = ("Theory, which needs no data", "Experiments on data", "Beyond the papers")

#: Inches: a line of type, the page, and where columns start.
LINE, SIZE = 0.112, 5.8
MARK, TEXT, PRINTED, OURS, LEFT, RIGHT = 0.08, 0.16, 3.55, 3.95, 5.7, 6.92
#: Where the bars start, and how many lines they and their legend take.
BARS, HEAD = 1.5, 14.6
#: Letters in a line of a sentence, and of what we saw.
WIDTH, NARROW = 79, 38
#: Margins beyond this many smallest effects lie off the panel, and show as an arrow at its border.
CLIP = 30.0
TICKS = (-10, -1, 0, 1, 10)
NOTE = "an arrow: far beyond the border; shaded: too small to matter; equalities have a margin of at most 1"


@dataclass(frozen=True)
class Line:
    """What stands at one height of the card: a heading of a block or of a paper, or a claim."""

    kind: str
    text: str
    claims: pd.DataFrame

    @property
    def lines(self) -> list[str]:
        """The text as it is broken."""
        return wrap(self.text, WIDTH) if self.kind == "claim" else [self.text]

    @property
    def seen(self) -> list[str]:
        """What we saw of a claim, with its unit, as it is broken."""
        row = self.claims.iloc[0]
        return ["–"] if isnan(float(row["ours"])) else wrap(f"{span(row)} {row['unit']}", NARROW)

    @property
    def height(self) -> float:
        """In lines of type, with the room above."""
        room = {"block": 3.4, "paper": 2.3, "claim": 0.2}[self.kind]
        return room + (max(len(self.lines), len(self.seen)) if self.kind == "claim" else 0)


def blocks(claims: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The papers' claims of theory and of experiments, and what is asked beyond the papers."""
    beyond, theory = claims["origin"] == "beyond", claims["grade"] == "no data"
    return dict(zip(BLOCKS, (claims[~beyond & theory], claims[~beyond & ~theory], claims[beyond]), strict=True))


def draw(claims: pd.DataFrame) -> Figure:
    """A line a claim: sentence, what is printed, what we saw, and the margin with its interval."""
    content = list(_lines(claims))
    head, foot = HEAD, 2.6
    total = head + sum(line.height for line in content) + foot
    figure, axes = style.panels(height=total * LINE, width=style.PAGE)
    panel = axes[0, 0]
    panel.set_position((0, 0, 1, 1))
    panel.set_axis_off()
    panel.set_xlim(0, style.PAGE)
    panel.set_ylim(total, 0)
    _head(panel, claims[claims["origin"] == "paper"])
    top = head
    for line in content:
        {"block": _block, "paper": _paper, "claim": _claim}[line.kind](panel, top, line)
        top += line.height
    _axis(panel, head, top)
    return figure


def _lines(claims: pd.DataFrame) -> Iterator[Line]:
    for title, block in blocks(claims).items():
        if block.empty:
            continue
        yield Line("block", title, block)
        for paper, own in block.groupby("paper", sort=False):
            yield Line("paper", TITLES.get(str(paper), str(paper).replace("_", " ")), own)
            for i in range(len(own)):
                row = own.iloc[i : i + 1]
                yield Line("claim", _capitalise(str(row["short"].iloc[0]).rstrip(".")), row)


def _capitalise(text: str) -> str:
    """A sentence begins with a capital, unless it begins with a symbol."""
    return text[0].upper() + text[1:] if text[0].isascii() and text[1:2].islower() else text


def _head(panel: Axes, claims: pd.DataFrame) -> None:
    """What ten seconds are for: the totals of the papers' own claims, and each paper's verdicts as bars."""
    counts = claims["verdict"].value_counts()
    panel.text(TEXT, 1.0, f"{len(claims)} claims of the papers", fontsize=10, fontweight="bold", va="center")
    for i, verdict in enumerate(VERDICTS):
        x = TEXT + i * (RIGHT - TEXT) / len(VERDICTS)
        panel.plot([x + 0.04], [2.8], color=VERDICTS[verdict].color, marker="s", markersize=5)
        panel.text(x + 0.13, 2.8, f"{counts.get(verdict, 0)} {verdict}", fontsize=8, va="center")
    halves = list(blocks(claims).items())[:2]
    most = max((len(own) for _, half in halves for _, own in half.groupby("paper")), default=1)
    width = (RIGHT - BARS) / 2
    for column, (title, _) in enumerate(halves):
        panel.text(BARS + column * width, 4.9, title, fontsize=SIZE, color=palette.MUTED, va="center")
    for row, (paper, name) in enumerate(TITLES.items()):
        y = 6.3 + 1.5 * row
        panel.text(TEXT, y, name, fontsize=8, va="center")
        for column, (_, half) in enumerate(halves):
            _bar(panel, y, BARS + column * width, (width - 0.1) / most, half[half["paper"] == paper])
    for i, (marker, words) in enumerate([*MARKERS.values(), NO_DATA]):
        x = TEXT + i * (RIGHT - TEXT) / 4
        panel.plot([x + 0.04], [12.9], color=palette.MUTED, marker=marker, linestyle="none", **_face(marker))
        panel.text(x + 0.13, 12.9, words, fontsize=SIZE, va="center", color=palette.MUTED)


def _bar(panel: Axes, y: float, left: float, width: float, claims: pd.DataFrame) -> None:
    """A bar of as many pieces as there are verdicts, each as wide as they are many, with their number."""
    counts = claims["verdict"].value_counts()
    for verdict in VERDICTS:
        count = int(counts.get(verdict, 0))
        panel.barh(y, width * count, left=left, height=1.1, color=VERDICTS[verdict].color)
        if count:
            panel.text(
                left + width * count / 2, y, str(count), fontsize=SIZE, color=palette.BLANK, ha="center", va="center"
            )
        left += width * count


def _face(marker: str) -> dict[str, Any]:
    """A stand-in is an empty marker."""
    return {"markersize": 4.0, "markerfacecolor": palette.BLANK} if marker == "s" else {"markersize": 4.0}


def _block(panel: Axes, top: float, line: Line) -> None:
    y = top + 2.2
    panel.text(TEXT, y, line.text, fontsize=8, fontweight="bold", va="center")
    small: dict[str, Any] = {"fontsize": SIZE, "color": palette.MUTED, "va": "center"}
    panel.text(PRINTED - 0.9, y, _count_verdicts(line.claims), **small)
    panel.text(PRINTED, y + 1.2, "printed", ha="center", **small)
    panel.text(OURS, y + 1.2, "ours, with 95 % interval", **small)
    panel.text(_place(0) - 0.06, y + 1.2, "against", ha="right", **small)
    panel.text(_place(1) + 0.06, y + 1.2, "in favour", **small)


def _paper(panel: Axes, top: float, line: Line) -> None:
    y = top + 1.4
    panel.plot([TEXT, RIGHT], [y - 0.8, y - 0.8], color=palette.MUTED, linewidth=0.4)
    panel.text(TEXT, y, f"{line.text}: {_count_verdicts(line.claims)}", fontsize=SIZE, fontweight="bold", va="center")


def _count_verdicts(claims: pd.DataFrame) -> str:
    counts = claims["verdict"].value_counts()
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if verdict in counts)


def _claim(panel: Axes, top: float, line: Line) -> None:
    row, y = line.claims.iloc[0], top + 0.65
    look = VERDICTS[str(row["verdict"])]
    style_: dict[str, Any] = {"fontsize": SIZE, "va": "center"}
    panel.plot([MARK], [y], color=look.color, marker="s", markersize=4.5)
    for i, text in enumerate(line.lines):
        panel.text(TEXT, y + i, text, **style_)
    for i, text in enumerate(line.seen):
        panel.text(OURS, y + i, text, **style_)
    if not isnan(float(row["ours"])):
        panel.text(PRINTED, y, printed(row), ha="center", **style_)
        _margin(panel, y, row)


def _margin(panel: Axes, y: float, row: pd.Series) -> None:
    """The margin in units of the smallest effect that matters, with an arrow where it lies far off."""
    colour = VERDICTS[str(row["verdict"])].color
    margin, low, high = (float(row[name]) for name in ("margin", "margin_low", "margin_high"))
    ends = [_place(value) for value in (low, high)]
    panel.plot(ends, [y, y], color=colour, linewidth=1.2)
    marker = MARKERS.get(str(row["grade"]).partition(",")[0], NO_DATA)[0]
    if abs(margin) > CLIP:
        marker = ">" if margin > 0 else "<"
    panel.plot([_place(margin)], [y], color=colour, marker=marker, linestyle="none", **_face(marker))


def _place(margin: float) -> float:
    """Where a margin lies on the page: close to linear about zero, logarithmic beyond."""
    clipped = min(max(margin, -CLIP), CLIP)
    share = asinh(clipped) / asinh(CLIP)
    return LEFT + (RIGHT - LEFT) * (share + 1) / 2


def _axis(panel: Axes, head: float, bottom: float) -> None:
    """The axis of the margins: against the claim on the left, for it on the right; shaded where it is too small."""
    panel.fill_betweenx([head + 0.5, bottom + 0.2], _place(0), _place(1), color=palette.SHADE, linewidth=0, zorder=0)
    panel.plot([_place(0)] * 2, [head + 0.5, bottom + 0.2], color=palette.MUTED, linewidth=0.6, zorder=0.5)
    for y in (head - 0.2, bottom + 0.9):
        for tick in TICKS:
            text = f"{tick}".replace("-", "−")
            panel.text(_place(tick), y, text, fontsize=SIZE, color=palette.MUTED, ha="center", va="center")
    words: dict[str, Any] = {"fontsize": SIZE, "color": palette.MUTED, "va": "center"}
    panel.text(RIGHT, bottom + 1.9, "margin / smallest effect that matters", ha="right", **words)
    panel.text(TEXT, bottom + 1.9, NOTE, **words)
