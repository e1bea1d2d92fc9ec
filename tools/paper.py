"""`replication.pdf`: the replication as a paper of its own, from what a run left behind.

`make report` gathers the run and calls it. Nothing in it about results is typed by hand.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import typst

from replication.judging import words
from replication.judging.erratum import Kind
from replication.palette import VERDICTS
from tools.configuration import load_templates, read_texts
from tools.costs import configured_figures
from tools.errata_page import ERRATA
from tools.site.collected import Collected
from tools.site.pages import choice_lines, guarantee_cells, title
from unveil.errors import require

#: Parts of the text on a paper, by the verdict of the claims that each tells.
PARTS = {"What agrees.": "reproduced", "What does not.": "contradicted", "What depends.": "conditional"}
#: The widest that the picture of a figure may be, in per cent, so that a paper takes two pages.
WIDTH = 78


def typeset(text: object) -> str:
    """Plain text, safe inside Typst's markup."""
    return re.sub(r"([\\#$*_`<>@~\[\]/])", r"\\\1", str(text))


def plain(caption: str) -> str:
    """A caption without its markup: mathematics as its symbols, code as its words."""
    text = re.sub(r":\w+:`([^`]*)`|``([^`]*)``|`([^`]*)`", r"\1\2\3", caption)
    return " ".join(re.sub(r"\\(.)", r"\1", text.replace("**", "")).split())


def reference(text: str) -> str:
    """A reference without its markup."""
    return re.sub(r"`doi:(\S+) <[^>]*>`__", r"doi:\1", text).replace("*", "")


def claim_cells(row: words.Row) -> list[str]:
    """A headline claim: its verdict, what it says, what we found, on which data."""
    look = VERDICTS[row["verdict"]]
    short = words.capitalise(str(row["short"]).rstrip("."))
    return [f"{look.symbol} {look.label}", short, words.found(row, where=False), words.basis_of(row)]


def describe_paper(run: Collected, paper: str, text: dict[str, Any], root: Path) -> dict[str, Any]:
    """All that the template says of one paper."""
    headlines = words.headlines(row for row in run.rows if row["paper"] == paper)
    named = [name for owner, name in configured_figures(root) if owner == paper and re.fullmatch(r"fig\d+", name)]
    return {
        "text": text,
        "headlines": headlines,
        "cells": list(map(claim_cells, headlines)),
        "parts": {part: [row for row in headlines if row["verdict"] == kind] for part, kind in PARTS.items()},
        "hanging": [row for row in headlines if words.hangs_on(row)],
        "figures": [figure for name in named for figure in describe_figure(run, (paper, name), root)],
    }


def describe_figure(run: Collected, name: tuple[str, str], root: Path) -> list[dict[str, Any]]:
    """A figure's picture and its caption; nothing where the run did not draw it."""
    picture = run.picture(name)
    if picture is None:
        return []
    file = picture.relative_to(root).as_posix()
    return [{"name": title(name[1]), "file": file, "width": WIDTH, "caption": plain(run.caption(name))}]


def tally(rows: Sequence[words.Row]) -> list[list[str]]:
    """How many claims of each paper met which verdict, under a line of heads."""
    counts = {paper: Counter(row["verdict"] for row in rows if row["paper"] == paper) for paper in read_texts()}
    heads = ["paper", *(look.label for look in VERDICTS.values())]
    named = ((read_texts()[paper]["short"], count) for paper, count in counts.items() if count)
    return [heads, *([name, *(str(count[verdict]) for verdict in VERDICTS)] for name, count in named)]


def describe_choices(run: Collected) -> tuple[list[list[str]], int]:
    """The choices that turn a verdict, and how many more were judged."""
    if run.choices.empty:
        return [], 0
    shorts = {paper: text["short"] for paper, text in read_texts().items()}
    lines = [
        [shorts[str(paper)], *line]
        for paper, part in run.choices.groupby("paper", sort=False)
        for line in choice_lines(part)
    ]
    turning = [line for line in lines if line[-1].startswith("yes")]
    return turning, sum(line[-1] == "no" for line in lines)


def document(run: Collected, root: Path) -> str:
    """The whole report in Typst's markup."""
    own = [row for row in run.rows if row["origin"] == "paper"]
    texts = {paper: text for paper, text in read_texts().items() if paper in ERRATA}
    papers = [describe_paper(run, paper, text, root) for paper, text in texts.items()]
    turning, quiet = describe_choices(run)
    kinds = Counter(entry.kind for errata in ERRATA.values() for entry in errata)
    levels = [row for row in run.guarantees if row["claimed_epsilon"] != row["exact_epsilon"]]
    templates = load_templates()
    templates.filters |= {"typeset": typeset, "reference": reference}
    return templates.get_template("replication.typ").render(
        run=run,
        words=words,
        version=version("unveil"),
        own=own,
        headlines=[row for paper in papers for row in paper["headlines"]],
        papers=papers,
        tally=tally(own),
        turning=turning,
        quiet=quiet,
        levels=[guarantee_cells(row)[:5] for row in levels],
        errata=[{"name": str(kind), "count": kinds[kind]} for kind in Kind],
        wrong=[
            [texts[paper]["short"], entry.place, entry.printed, entry.corrected]
            for paper, errata in ERRATA.items()
            for entry in errata
            if entry.kind is Kind.FALSE
        ],
        grades=Counter(words.basis_of(row) or "no result" for row in own).most_common(),
    )


def write(run: Collected, root: Path, output: Path) -> None:
    """Typeset the report; the same results give the same bytes."""
    require(len(run.claims) > 0, "there are no verdicts yet; run `snakemake --cores 4 all` first")
    source = root / ".cache" / "replication.typ"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(document(run, root), encoding="utf-8")
    typst.compile(str(source), output=str(output), root=str(root), timestamp=0)


if __name__ == "__main__":
    write(Collected(Path.cwd() / ".cache" / "report"), Path.cwd(), Path("replication.pdf"))
