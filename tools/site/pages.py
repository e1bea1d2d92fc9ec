"""The pages that no one types: front page, papers, verdicts, guarantees and the library, from what a run left."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from docutils.nodes import make_id
from jinja2 import Environment

import unveil
from replication.judging import words
from replication.judging.erratum import Erratum
from replication.palette import VERDICTS
from tools.configuration import TEMPLATES, load_templates, read_texts
from tools.costs import configured_figures, configured_pictures
from tools.errata_page import ERRATA
from tools.site.collected import Collected
from tools.site.uses import GUARANTEES, figure_code, find_uses

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
#: The heads of two tables: what a paper leaves open, and what it errs in.
CHOICES = ["the paper says", "we took", "also tried", "does a verdict change"]
Row = Mapping[str, Any]


def make_pages(run: Collected, root: Path, figures: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Names of files and their content; `figures` are all pictures that a run would draw."""
    texts, claims = read_texts(), [as_shown(row, figures) for row in run.rows]
    groups = yaml.safe_load((TEMPLATES / "groups.yaml").read_text(encoding="utf-8"))
    rooms = sort_names()
    pages = make_environment()
    pages.globals |= {"run": run, "texts": texts, "claims": claims, "rooms": rooms, "groups": groups}
    pages.globals["tables"] = find_tables(root)

    def render(template: str, **given: Any) -> str:
        return pages.get_template(template).render(given)

    for template in ("index.rst", "guarantees.rst", "verdicts.rst", "cite.rst", "claims.md"):
        yield template, render(template, missing=[name for name in figures if not run.picture(name)])
    for name, group in groups.items():
        yield f"{name}.rst", render("group.rst", group=group)
    for paper, text in texts.items():
        named = [figure for owner, figure in figures if owner == paper]
        yield f"papers/{paper}.rst", render("paper.rst", **describe_paper(run, paper, named, claims), text=text)
        code = {figure: figure_code(paper, figure) for owner, figure in configured_figures(root) if owner == paper}
        yield f"papers/{paper}_code.rst", render("code.rst", paper=paper, code=code)
    yield "library/index.rst", render("library.rst")
    behind = find_uses(configured_figures(root))
    for name in (name for names in rooms.values() for name in names):
        places = {paper: stand_behind(paper, used, claims) for paper, used in behind.get(name, {}).items()}
        is_class = inspect.isclass(getattr(unveil, name))
        yield f"library/{name}.rst", render("name.rst", name=name, is_class=is_class, places=places)


def find_tables(root: Path) -> set[tuple[str, str]]:
    """The pictures that are tables: their modules draw nothing else."""
    captions = configured_pictures(root)
    drawers = {name: path.with_name(f"draw{path.stem.removeprefix('caption')}.py") for name, path in captions.items()}
    texts = {name: path.read_text(encoding="utf-8") for name, path in drawers.items() if path.is_file()}
    draws = re.compile(r"^(def draw\(|draw\b|from \S+ import .*\bdraw\b)", re.MULTILINE)
    return {name for name, text in texts.items() if not draws.search(text)}


def make_environment() -> Environment:
    """The templates with what they ask for."""
    pages = load_templates()
    used = (plain, heading, title, first_line, guarantee_cells, erratum_cells, anchor, place)
    pages.filters |= {function.__name__: function for function in used}
    pages.globals |= {"words": words, "verdicts": VERDICTS}
    return pages


def as_shown(row: Row, figures: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """A row of the table of claims with whether its figure has a place on the paper's page."""
    return {**row, "drawn": (row["paper"], row["figure"]) in figures}


def describe_paper(run: Collected, paper: str, named: Sequence[str], claims: Sequence[Row]) -> dict[str, Any]:
    """All that the template says of one paper."""
    missing = [name for name in named if not run.picture((paper, name))]
    theirs = [name for name in named if re.fullmatch(r"(fig|table)\d+", name)]
    choices = run.choices[run.choices["paper"] == paper] if len(run.choices) else run.choices
    costs = [[name, f"{cpu:.1f}", f"{peak:.1f}"] for (owner, name), (cpu, peak) in run.costs.items() if owner == paper]
    return {
        "paper": paper,
        "figures": {"The paper's figures": theirs, "Further questions": [name for name in named if name not in theirs]},
        "claims": [row for row in claims if row["paper"] == paper],
        "choices": [CHOICES, *choice_lines(choices)] if len(choices) else [],
        "missing": missing,
        "errata": ERRATA.get(paper, ()),
        "costs": costs,
    }


def choice_lines(choices: pd.DataFrame) -> Iterator[list[str]]:
    """What a paper leaves open, one line a choice: its words, ours, the others, and the claims that they turn."""
    for _, part in choices.astype(object).fillna("").groupby("choice", sort=False):
        turned = part.loc[part["turns"].astype(str).str.lower() == "true", "claim"]
        changes = f"yes: {', '.join(turned)}" if len(turned) else "no" if part["judged"].any() else "not judged"
        yield [*part.iloc[0][["says", "took", "alternatives"]], changes]


def anchor(row: Row) -> str:
    """The place of a claim on its paper's page."""
    return f"claim-{row['claim']}"


def place(row: Row) -> str:
    """The place of a claim's figure on its paper's page."""
    return str(make_id(f"figure-{row['paper']}-{row['figure']}"))


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


def erratum_cells(entry: Erratum) -> list[str]:
    """An error of a paper: where it stands, of which kind it is, what is printed and what is right."""
    return [entry.place, str(entry.kind), entry.printed, entry.corrected]


def guarantee_cells(row: Row) -> list[str]:
    """What a mechanism promises, keeps and shows in an audit."""
    levels = ((row[f"{kind}_epsilon"], row[f"{kind}_delta"]) for kind in ("claimed", "exact"))
    promised, exact = (
        words.amount(epsilon) + (f", δ = {words.amount(delta)}" if delta else "") for epsilon, delta in levels
    )
    given = "" if pd.isna(row["parameters"]) else row["parameters"]
    return [row["mechanism"].replace("_", " "), given, promised, exact, words.amount(row["audited_low"]), row["scope"]]


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


def stand_behind(paper: str, used: Sequence[str], claims: Iterable[Row]) -> dict[str, Any]:
    """The figures of a paper that rest on a name, the claims about these, and whether its guarantee is told."""
    own = [row for row in claims if row["paper"] == paper and row["figure"] in used]
    return {"figures": [name for name in used if name != GUARANTEES], "claims": own, "guarantees": GUARANTEES in used}
