"""The pages that no one types: papers, verdicts, guarantees and the library, from what a run left behind."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment

import unveil
from replication.judging import words
from replication.judging.scorecard import TITLES
from tools.configuration import load_templates, read_texts
from tools.costs import configured_figures
from tools.site.collected import Collected
from tools.site.uses import GUARANTEES, figure_code, find_uses

BADGES = {
    "reproduced": "success",
    "conditional": "warning",
    "contradicted": "danger",
    "undecided": "secondary",
    "untestable": "muted",
}
#: The rooms of the library, in the order of the page, and what stands in them.
ROOMS = {
    "protocols": "What leaves an owner",
    "mechanisms": "Mechanisms: the owner's side",
    "estimators.moments": "Learning from moments",
    "estimators.counts": "Learning from tag counts",
    "estimators.bags": "Learning from sets with proportions",
    "estimators.statistics": "Learning from one noisy statistic",
    "estimators.spread": "Learning from noisy records",
    "estimators": "Learning from labels' means",
    "privacy": "What is really given away",
    "theory": "Theory",
    "": "All else",
}
#: Pages that no list of all pages names, and those that come first in it.
LISTED, FIRST = ("index", "claims", "playground"), ("errata", "safe_noise", "changing", "adding")
Row = Mapping[str, Any]


def make_pages(run: Collected, root: Path, elsewhere: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Names of files and their content; `elsewhere` are names of pages from other folders."""
    figures, texts, claims = configured_figures(root), read_texts(), run.claims.to_dict("records")
    drawn = (run.picture(name) for name in (("crossover", "epsilon"), *figures))
    known = {file.stem for file in (root / "docs").glob("*.md")} | {Path(name).stem for name in elsewhere}
    rooms = sort_names()
    pages = make_environment()
    pages.globals |= {"run": run, "texts": texts, "tally": tally_cells(texts, figures, claims), "rooms": rooms}

    def render(template: str, **given: Any) -> str:
        return pages.get_template(template).render(given)

    for template in ("guarantees", "verdicts"):
        yield f"{template}.rst", render(f"{template}.rst")
    yield "more.rst", render("more.rst", more=[*FIRST, *sorted(known - {*FIRST, *LISTED})])
    yield "made/tally.rst", render("tally.rst")
    yield "made/opening.rst", render("opening.rst", picture=next(picture for picture in drawn if picture))
    yield "papers/index.rst", render("papers.rst")
    for paper, text in texts.items():
        own = [row for row in claims if row["paper"] == paper]
        named = [figure for owner, figure in figures if owner == paper]
        yield f"papers/{paper}.rst", render("paper.rst", paper=paper, text=text, figures=named, claims=own)
    yield "library/index.rst", render("library.rst")
    behind = find_uses(figures)
    for name in (name for names in rooms.values() for name in names):
        places = {paper: stand_behind(paper, used, claims) for paper, used in behind.get(name, {}).items()}
        is_class = inspect.isclass(getattr(unveil, name))
        yield f"library/{name}.rst", render("name.rst", name=name, is_class=is_class, places=places)
    if claims:
        yield "claims.md", words.page(run.claims, TITLES)


def make_environment() -> Environment:
    """The templates with what they ask for."""
    pages = load_templates()
    pages.filters |= {"plain": plain, "heading": heading, "title": title, "fared": fared, "first_line": first_line}
    pages.filters |= {"claim_cells": claim_cells, "guarantee_cells": guarantee_cells}
    pages.globals["figure_code"] = figure_code
    return pages


def plain(text: object) -> str:
    """Text in which nothing is markup."""
    return re.sub(r"([\\*`|_])", r"\\\1", " ".join(str(text).split()))


def heading(text: str, line: str = "=") -> str:
    """A title, at least as long as its line."""
    return f"{text}\n{line * (2 * len(text))}\n"


def title(figure: str) -> str:
    """A figure's name in words: `fig7_steps` is figure 7, steps."""
    first, *rest = figure.split("_")
    numbered = re.fullmatch(r"(fig|table)(\w*\d\w*)", first)
    named = f"{'Figure' if numbered[1] == 'fig' else 'Table'} {numbered[2]}" if numbered else first.capitalize()
    return f"{named}{':' if numbered and rest else ''} {' '.join(rest)}".strip()


def fared(claims: Iterable[Row]) -> str:
    """How many claims met which verdict, in its colour."""
    verdicts = [row["verdict"] for row in claims]
    counts = {verdict: verdicts.count(verdict) for verdict in BADGES if verdict in verdicts}
    return " ".join(f":bdg-{BADGES[verdict]}:`{count} {verdict}`" for verdict, count in counts.items())


def claim_cells(row: Row) -> list[str]:
    """A claim with its verdict, what is printed, what we saw and on which data."""
    place = f" ({plain(row['place'])})" if row["origin"] == "paper" else " (asked by us, beyond the paper)"
    seen = "–" if pd.isna(row["ours"]) else f"{row['quantity']}: {words.span(row)} {row['unit']}; {words.sure(row)}"
    verdict = f":bdg-{BADGES[row['verdict']]}:`{row['verdict']}`"
    return [
        verdict,
        plain(row["statement"]) + place,
        words.printed(row) or "–",
        plain(seen),
        words.basis_of(row) or "–",
    ]


def guarantee_cells(row: Row) -> list[str]:
    """What a mechanism promises, keeps and shows in an audit."""
    levels = ((row[f"{kind}_epsilon"], row[f"{kind}_delta"]) for kind in ("claimed", "exact"))
    promised, exact = (
        words.amount(epsilon) + (f", δ = {words.amount(delta)}" if delta else "") for epsilon, delta in levels
    )
    given = "" if pd.isna(row["parameters"]) else row["parameters"]
    cells = [row["mechanism"].replace("_", " "), given, promised, exact, words.amount(row["audited_low"]), row["scope"]]
    return [plain(cell) for cell in cells]


def tally_cells(texts: Mapping[str, Row], figures: Sequence[tuple[str, str]], claims: Sequence[Row]) -> list[list[str]]:
    """How the papers' own claims fared, paper by paper."""
    return [
        [
            f":ref:`{text['title']} <paper-{paper}>`",
            str(sum(owner == paper for owner, _ in figures)),
            fared(row for row in claims if (row["paper"], row["origin"]) == (paper, "paper")) or "–",
        ]
        for paper, text in texts.items()
    ]


def sort_names() -> dict[str, list[str]]:
    """The public names by the most particular room that they stand in."""
    rooms: dict[str, list[str]] = {title: [] for title in ROOMS.values()}
    for name in sorted(unveil._HOME, key=str.lower):
        home = f"{unveil._HOME[name]}."
        rooms[ROOMS[max((room for room in ROOMS if not room or home.startswith(f"{room}.")), key=len)]].append(name)
    return {title: names for title, names in rooms.items() if names}


def first_line(name: str) -> str:
    """The first line of a public name's docstring."""
    return (inspect.getdoc(getattr(unveil, name)) or "").partition("\n")[0]


def stand_behind(paper: str, used: Sequence[str], claims: Sequence[Row]) -> dict[str, Any]:
    """The figures of a paper that rest on a name, the claims about these, and whether its guarantee is told."""
    own = [row for row in claims if row["paper"] == paper and row["figure"] in used]
    return {"figures": [name for name in used if name != GUARANTEES], "claims": own, "guarantees": GUARANTEES in used}
