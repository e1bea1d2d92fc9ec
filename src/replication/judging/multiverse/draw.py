"""Draw the multiverse: the claims of which some choice turns what is seen, and which choice does."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import fill

import pandas as pd
from matplotlib.figure import Figure

from replication import palette, style
from replication.judging.judge import OURS, claims_of
from replication.judging.multiverse.settings import BASE, FULL
from replication.palette import VERDICTS

#: What a choice turns to; to the others it only blurs a verdict.
DECIDED = ("reproduced", "conditional", "contradicted")
#: Inches a claim, and letters of its name and of what turns it.
ROW, NAME, TURNS = 0.34, 40, 40


def draw(table: pd.DataFrame) -> Figure:
    """A row a claim: its base, then its alternatives; hollow where the figure ran again at a reduced size."""
    shown = table[table["scale"] != OURS]
    groups = [(key, rows) for key, rows in shown.groupby(["paper", "claim"], sort=False) if list(turns(rows))]
    short = {(paper, claim.id): claim.short or claim.id for paper in set(table["paper"]) for claim in claims_of(paper)}
    figure, axes = style.panels(height=1.1 + ROW * max(len(groups), 1))
    panel = axes[0, 0]
    for place, (_, rows) in enumerate(groups):
        ordered = rows.sort_values("choice", key=lambda names: names != BASE, kind="stable").reset_index(drop=True)
        for x, row in enumerate(ordered.itertuples()):
            look = VERDICTS[row.seen]
            face = look.color if row.scale == FULL else palette.BLANK
            panel.plot(x, place, label=look.label, markersize=7, markerfacecolor=face, **look.marks)
        text = fill("; ".join(turns(rows)), TURNS, max_lines=2, placeholder=" …")
        at = ("axes fraction", "data")
        style.write(panel, text, (1.02, place), xycoords=at, va="center", annotation_clip=False)
    panel.set_yticks(range(len(groups)), [fill(short[key], NAME, max_lines=2) for key, _ in groups])
    panel.set(ylim=(max(len(groups), 1) - 0.4, -0.6), xlabel="the base, then its alternatives", xticks=[])
    style.finish(figure, columns=5)
    return figure


def turns(universes: pd.DataFrame) -> Iterator[str]:
    """The choices that decide a claim another way than the base at its scale: `fails: rate=0.3, ridge=10`."""
    bases = universes[universes["choice"] == BASE].set_index("scale")["seen"]
    others = universes[universes["choice"] != BASE]
    turned = others[others["seen"] != others["scale"].map(bases.groupby(level=0).first())]
    for verdict in DECIDED:
        choices = turned[turned["seen"] == verdict].groupby("choice", sort=False)["value"]
        named = [f"{choice}={' or '.join(map(str, values))}" for choice, values in choices]
        if named:
            yield f"{VERDICTS[verdict].label}: {', '.join(named)}"
