"""Draw the multiverse: in which share of the universes each claim holds, and which choice turns it."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style
from replication.judging.judge import JUDGING, OURS, claims_of
from replication.judging.multiverse.settings import BASE
from replication.palette import VERDICTS

#: The two kinds of universes, and what each column says.
TITLES = {True: "the same scores, judged otherwise", False: "run otherwise, at a reduced size"}
#: Verdicts that a choice turns to; to the others it only blurs one.
DECIDED = {"reproduced": "holds", "conditional": "in part", "contradicted": "fails"}
#: How much of a bar's colour shows: what settles nothing stays behind.
FAINT = {"undecided": 0.45, "untestable": 0.2}
LINE, SIZE, LETTERS, SMALL_LETTERS = 0.135, 5.0, 38, 46


def draw(table: pd.DataFrame) -> Figure:
    """A line a claim; a column a kind of universe: its verdicts as shares, the base's mark, and what turns it."""
    alternatives = table[(table["scale"] != OURS) & (table["choice"] != BASE)]
    claims = list(dict.fromkeys(zip(alternatives["paper"], alternatives["claim"], strict=True)))
    figure, axes = style.panels(1, 2, height=LINE * len(claims) + 0.9, sharey=True)
    for panel, (judging, title) in zip(axes[0], TITLES.items(), strict=True):
        kind = table[table["universe"].str.startswith(f"{JUDGING}/") == judging]
        for place, (paper, claim) in enumerate(claims):
            _line(panel, place, kind[(kind["paper"] == paper) & (kind["claim"] == claim)])
        panel.set_title(title)
        panel.set_xlim(-0.06, 3.4)
        panel.set_xticks([0, 0.5, 1], ["0", "½", "1"])
        panel.set_xlabel("share of universes", loc="left")
        panel.grid(visible=False)
        panel.spines["left"].set_visible(False)
    _names(axes[0, 0], claims)
    style.finish(figure, columns=5)
    return figure


def _line(axes: Axes, place: int, universes: pd.DataFrame) -> None:
    """One claim in one kind of universe."""
    start = 0.0
    for verdict, look in VERDICTS.items():
        share = float((universes["verdict"] == verdict).mean()) if len(universes) else 0.0
        label, faint = look.label if place == 0 else None, FAINT.get(verdict, 1.0)
        axes.barh(place, share, left=start, height=0.8, color=look.color, alpha=faint, label=label)
        start += share
    base = universes[universes["choice"] == BASE]["verdict"]
    for verdict in base:
        look = VERDICTS[verdict]
        axes.plot(-0.03, place, marker=look.marker, color=look.color, markersize=2.8, clip_on=False)
    if len(universes):
        count = f"{(universes['verdict'] == 'reproduced').sum()}/{len(universes)}"
        text = "; ".join(turns(universes))
        fits = len(text) <= LETTERS
        lines = [text] if fits else wrap(text, SMALL_LETTERS, max_lines=2, placeholder=" …")
        laid: dict[str, Any] = {"va": "center", "in_layout": False, "linespacing": 0.95}
        axes.text(1.04, place, count, fontsize=SIZE, color=palette.MUTED, **laid)
        axes.text(1.34, place, "\n".join(lines), fontsize=SIZE if fits else 0.8 * SIZE, color=palette.INK, **laid)


def turns(universes: pd.DataFrame) -> Iterator[str]:
    """The choices of one claim that decide it another way than the base does: `fails: rate=0.3, ridge=10`."""
    base = set(universes.loc[universes["choice"] == BASE, "verdict"])
    for verdict, word in DECIDED.items():
        other = universes[(universes["verdict"] == verdict) & (universes["choice"] != BASE)]
        if verdict not in base and len(other):
            choices = other.groupby("choice", sort=False)["value"]
            named = [f"{choice}={' or '.join(map(str, values))}" for choice, values in choices]
            yield f"{word}: {', '.join(named)}"


def _names(axes: Axes, claims: list[tuple[str, str]]) -> None:
    short = {(paper, claim.id): claim.short or claim.id for paper, _ in claims for claim in claims_of(paper)}
    axes.set_yticks(range(len(claims)), [short[claim] for claim in claims], fontsize=SIZE)
    axes.set_ylim(len(claims) - 0.4, -0.6)
    papers = [paper for paper, _ in claims]
    for panel in axes.figure.axes:
        panel.tick_params(axis="y", length=0)
        for place in range(1, len(papers)):
            if papers[place] != papers[place - 1]:
                panel.axhline(place - 0.5, color=palette.MUTED, linewidth=0.4)
