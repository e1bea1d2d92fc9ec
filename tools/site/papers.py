"""A page for each paper, figure by figure, and one of guarantees: all from what a run left behind."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from replication.engine.plan import extending, stage_file
from replication.judging import words
from tools.configuration import shipped
from tools.paper import TEXTS, VERDICTS
from tools.site.collected import Collected, Name
from tools.site.markup import badge, directive, heading, plain, table

STAGES = ("release", "learn", "score", "draw")


def title(figure: str) -> str:
    """A figure's name in words: `fig7_steps` is figure 7, steps."""
    first, *rest = figure.split("_")
    numbered = re.fullmatch(r"(fig|table)(\w*\d\w*)", first)
    named = f"{'Figure' if numbered[1] == 'fig' else 'Table'} {numbered[2]}" if numbered else first.capitalize()
    return f"{named}{':' if numbered and rest else ''} {' '.join(rest)}".strip()


def texts() -> Mapping[str, Mapping[str, str]]:
    """What each paper asks and what was done for it, in words that hold whatever came out."""
    found: Mapping[str, Mapping[str, str]] = yaml.safe_load(TEXTS.read_text(encoding="utf-8"))
    return found


def pages(collected: Collected, root: Path, figures: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Names of files and their content: the papers, their list, and what each mechanism really gives away."""
    known = texts()
    listed = "\n".join(f"   {paper}" for paper in known)
    yield "papers/index.rst", f"{heading('The papers')}\n.. toctree::\n   :maxdepth: 2\n\n{listed}\n"
    for paper in known:
        own = [figure for owner, figure in figures if owner == paper]
        yield f"papers/{paper}.rst", paper_page(collected, root, paper, own)
    yield "guarantees.rst", guarantees_page(collected)
    yield "verdicts.rst", verdicts_page(collected, figures)
    yield "made/tally.rst", tally(collected, figures)
    yield "made/opening.rst", opening(collected, figures)


def paper_page(collected: Collected, root: Path, paper: str, figures: Sequence[str]) -> str:
    """What the paper asks, how its claims fared, and every figure."""
    text, claims = texts()[paper], collected.claims
    own = claims[claims["paper"] == paper]
    parts = [f".. _paper-{paper}:\n", heading(text["title"]), f"*{plain(text['authors'])}*\n"]
    parts += [f"**What it asks.** {text['asks']}\n", f"**What was done.** {text['done']}\n"]
    parts += [f"**How its claims fared.** {counted(own[own['origin'] == 'paper'])}\n"] if len(own) else []
    for figure in figures:
        parts.append(figure_part(collected, root, paper, figure, own[own["figure"] == figure]))
    elsewhere = own[~own["figure"].isin(figures)]
    parts += [heading("Claims without a figure", "-"), verdicts(elsewhere)] if len(elsewhere) else []
    return "\n".join(parts)


def counted(claims: pd.DataFrame) -> str:
    """How many claims met which verdict."""
    counts = claims["verdict"].value_counts()
    return " ".join(badge(verdict, f"{counts[verdict]} {verdict}") for verdict in VERDICTS if verdict in counts)


def figure_part(collected: Collected, root: Path, paper: str, figure: str, claims: pd.DataFrame) -> str:
    """A figure: the picture, its caption, the verdicts that rest on it, how to make it again, and the code."""
    parts = [f".. _figure-{paper}-{figure}:\n", heading(title(figure), "-")]
    parts += [shown(collected, (paper, figure)), verdicts(claims) if len(claims) else ""]
    cost = collected.costs.get((paper, figure))
    spent = f", {cost[0]:.1f} CPU minutes and {cost[1]:.1f} GiB at most" if cost else ""
    parts.append(f"Make it again: ``snakemake --cores 4 figures/{paper}/{figure}.pdf``{spent}.\n")
    parts.append(directive("dropdown", "The code, stage by stage", _code(root, paper, figure)))
    return "\n".join(part for part in parts if part)


def shown(collected: Collected, name: Name) -> str:
    """The picture of a figure with its caption."""
    picture = collected.picture(name)
    if picture is None:
        return "*This run did not draw it.*\n"
    options = {"alt": " ".join(name), "figclass": "figure-picture", "loading": "lazy"}
    return directive("figure", f"/gallery/{picture.name}", **options) + "\n" + collected.caption(name) + "\n"


def verdicts(claims: pd.DataFrame) -> str:
    """Each claim with its verdict, what is printed and what we saw."""
    return table(
        ["verdict", "claim", "printed", "seen", "on"],
        (_row(row) for row in claims.to_dict("records")),
        "12 40 8 28 12",
        "verdicts",
    )


def _row(row: Mapping[str, Any]) -> list[str]:
    place = f" ({plain(row['place'])})" if row["origin"] == "paper" else " (asked by us, beyond the paper)"
    known = not pd.isna(row["ours"])
    seen = f"{row['quantity']}: {words.span(row)} {row['unit']}; {words.sure(row)}" if known else "–"
    claim = f"{plain(row['statement'])}{place}"
    return [badge(row["verdict"]), claim, words.printed(row) or "–", plain(seen), words.basis_of(row) or "–"]


def _code(root: Path, paper: str, figure: str) -> str:
    """The figure's files, its own or those of the figure that it extends."""
    folder = Path("src", "replication", "papers", paper, figure)
    line = extending(shipped(root)["papers"][paper]["figures"], figure)
    found = (stage_file(paper, line, f"{stage}.py") for stage in STAGES)
    files = [file.relative_to(root) for file in found if file.is_file()]
    tabs = [
        directive("tab-item", file.name, directive("literalinclude", f"/../{file.as_posix()}", language="python"))
        for file in files
    ]
    said = f"Its settings stand in ``config/{paper}.yaml`` under ``{figure}``, its folder is ``{folder.as_posix()}``.\n"
    return said + "\n" + directive("tab-set", "", "\n".join(tabs))


def guarantees_page(collected: Collected) -> str:
    """Promise, exact level and audit of every mechanism, paper by paper."""
    parts = [".. _given-away:\n", heading("What it really gives away"), GIVEN]
    parts += [shown(collected, ("guarantees",))]
    known = collected.guarantees
    for paper, rows in known.groupby("paper", sort=False) if len(known) else ():
        parts += [f".. _guarantees-{paper}:\n", heading(texts()[str(paper)]["title"], "-")]
        cells = ([*map(plain, _promise(row))] for row in rows.itertuples())
        header = ["mechanism", "with", "promised", "exact", "audit: at least", "for"]
        parts.append(table(header, cells, "18 26 14 14 14 14"))
    return "\n".join(parts)


GIVEN = """The level that each mechanism's authors promise, the level that holds, by enumeration, closed form or
hockey-stick divergence, and the lower bound that an audit of random releases found. A level is the ε of differential
privacy, and δ where it is not 0. *Supremum*: over all data sets; *here*: at the data that the parameters name.
Which mechanisms may be used on people's data: :doc:`safe_noise`.
"""


def _promise(row: Any) -> list[str]:
    def level(epsilon: float, delta: float) -> str:
        return words.amount(epsilon) + (f", δ = {words.amount(delta)}" if delta else "")

    return [
        str(row.mechanism).replace("_", " "),
        "" if pd.isna(row.parameters) else str(row.parameters),
        level(row.claimed_epsilon, row.claimed_delta),
        level(row.exact_epsilon, row.exact_delta),
        words.amount(row.audited_low),
        str(row.scope),
    ]


def verdicts_page(collected: Collected, figures: Sequence[tuple[str, str]]) -> str:
    """The scorecard, and how far to trust it."""
    parts = [".. _verdicts:\n", heading("What holds"), tally(collected, figures)]
    parts += ["Claim by claim, in words: :doc:`claims`.\n", directive("toctree", "", "claims", hidden="")]
    for name, words_ in (
        ("scorecard", "All claims"),
        ("judge", "How far the judge can be trusted"),
        ("multiverse", OPEN),
    ):
        parts += [heading(words_, "-"), shown(collected, (name,))]
    return "\n".join(parts)


OPEN = "Where the papers leave a choice open"


def opening(collected: Collected, figures: Sequence[tuple[str, str]]) -> str:
    """One picture for the first page: all estimators on the same veiled labels, or the first that the run drew."""
    drawn = (collected.picture(name) for name in (("crossover", "epsilon"), *figures))
    picture = next(found for found in drawn if found)
    return directive(
        "image",
        f"/gallery/{picture.name}",
        alt=picture.stem.replace("_", " "),
        target="playground.html",
        **{"class": "opening"},
    )


def tally(collected: Collected, figures: Sequence[tuple[str, str]]) -> str:
    """How the claims fared, paper by paper, for the first page."""
    known, claims = texts(), collected.claims
    own = claims[claims["origin"] == "paper"]
    rows = []
    for paper, text in known.items():
        number = sum(owner == paper for owner, _ in figures)
        fared = counted(own[own["paper"] == paper]) or "–"
        rows.append([f":ref:`{text['title']} <paper-{paper}>`", str(number), fared])
    return table(["paper", "figures", "its claims"], rows, "44 8 48", "tally")
