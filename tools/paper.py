"""`replication.pdf`: the replication as a paper of its own, from what a run left behind.

`python -m tools.paper` writes it after `snakemake all`; `make report` calls it. Nothing in it about results is typed by
hand: verdicts come from claims.csv, captions as they were filled in, deviations from the `# ASSUME:` marks of the code,
costs from the run's own records.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

import pandas as pd
import typst
import yaml

from replication.engine.task import read_scores
from tools.configuration import shipped
from tools.costs import configured_figures
from tools.costs import costs as noted
from unveil.errors import require

TEXTS = Path(__file__).with_name("report") / "texts.yaml"
STYLE = Path(__file__).with_name("report") / "style.typ"
#: Verdicts in the order of the tables.
VERDICTS = ("reproduced", "conditional", "contradicted", "undecided", "untestable")
_MARK = "ASSUME: "
_SPECIAL = re.compile(r"([\\#$*_`<>@~\[\]/])")


@dataclass(frozen=True)
class Choice:
    """A scientific choice that a paper leaves open: where it was made, and why."""

    file: Path
    text: str


def choices(root: Path, paper: str) -> Iterator[Choice]:
    """The marked choices of one paper: in its figures' code and in its configuration."""
    files = [
        *sorted((root / "src" / "replication" / "papers" / paper).rglob("*.py")),
        root / "config" / f"{paper}.yaml",
    ]
    for file in files:
        lines = file.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines):
            before, mark, said = line.partition(_MARK)
            if mark:
                following = lines[number + 1 :]
                text = _comment(said, following) if "#" in before else _passage(said, following)
                yield Choice(file.relative_to(root), " ".join(text.split()))


def _comment(said: str, following: Sequence[str]) -> str:
    """A mark in a comment: it goes on while comments do, up to the next mark."""
    more = (re.match(r"\s*#:? (.*)", line) for line in following)
    return " ".join([said, *(found[1] for found in takewhile(lambda m: m and _MARK not in m[1], more) if found)])


def _passage(said: str, following: Sequence[str]) -> str:
    """A mark in a docstring: it goes on to the end of its sentence."""
    text = " ".join([said, *takewhile(str.strip, following)]) if '"""' not in said else said
    return re.split(r'(?<=[.!?])\s|"""', text, maxsplit=1)[0]


def typeset(text: object) -> str:
    """Plain text, safe inside Typst's markup."""
    return _SPECIAL.sub(r"\\\1", str(text))


def plain(caption: str) -> str:
    """A caption without its markup: mathematics as its symbols, code as its words."""
    return " ".join(re.sub(r":math:`([^`]*)`|``([^`]*)``|`([^`]*)`", r"\1\2\3", caption).replace("**", "").split())


def table(header: Sequence[str], rows: Sequence[Sequence[object]], columns: str) -> str:
    """A table with a rule under its head."""
    cells = "".join(f"  [{typeset(cell)}],\n" for row in rows for cell in row)
    head = ", ".join(f"[*{typeset(word)}*]" for word in header)
    return f"#table(columns: {columns}, table.header({head}),\n{cells})\n"


def tally(claims: pd.DataFrame) -> str:
    """How many claims of each paper, and of ours beyond it, met which verdict."""
    rows = []
    for (paper, origin), part in claims.groupby(["paper", "origin"], sort=False):
        counts = part["verdict"].value_counts()
        rows.append([paper.replace("_", " "), origin, *(int(counts.get(verdict, 0)) for verdict in VERDICTS)])
    return table(["paper", "origin", *VERDICTS], rows, "(auto, auto" + ", 1fr" * len(VERDICTS) + ")")


def verdicts(claims: pd.DataFrame) -> str:
    """Each claim with what was seen."""
    rows = [
        [row.statement, row.place, row.verdict, _number(row.printed), _interval(row), row.unit, row.grade]
        for row in claims.itertuples()
    ]
    return table(
        ["claim", "place", "verdict", "printed", "ours", "unit", "data"],
        rows,
        "(3.2fr, 1.2fr, 1.1fr, .7fr, 1.5fr, 1fr, .8fr)",
    )


def _number(value: object) -> str:
    return "" if pd.isna(value) else f"{value:.3g}"


def _interval(row: object) -> str:
    ours, low, high = (getattr(row, name) for name in ("ours", "low", "high"))
    if pd.isna(ours):
        return ""
    return f"{ours:.3g}" if low == high else f"{ours:.3g} ({low:.3g} to {high:.3g})"


def costs(logs: Path, paper: str, names: Sequence[str]) -> str:
    """CPU minutes and peak memory of each figure, as this run's jobs recorded them."""
    rows = []
    for name in names:
        jobs = noted(logs / paper / name)
        if jobs:
            seconds, peak = sum(job[0] for job in jobs), max(job[1] for job in jobs)
            rows.append([name, f"{seconds / 60:.1f}", f"{peak / 1024:.2f}"])
    return table(["figure", "CPU minutes", "peak memory, GiB"], rows, "(2fr, 1fr, 1fr)")


def figure(pictures: Path, paper: str, name: str, root: Path) -> str:
    """A figure's picture with its caption as it was filled in."""
    picture, words = pictures / paper / f"{name}.svg", pictures / paper / f"{name}.rst"
    require(picture.is_file(), f"{picture} is missing; run `snakemake --cores 4 all` first")
    said = plain(words.read_text(encoding="utf-8")) if words.is_file() else ""
    return (
        f'#figure(image("/{picture.relative_to(root)}", width: 100%), caption: [*{typeset(name)}.* {typeset(said)}])\n'
    )


def document(root: Path, folders: Mapping[str, str]) -> str:
    """The whole report in Typst's markup."""
    results, pictures, logs = (root / folders[name] for name in ("results", "figures", "logs"))
    claims = read_scores(results / "claims.csv")
    texts = yaml.safe_load(TEXTS.read_text(encoding="utf-8"))
    named = configured_figures(root)
    parts = [STYLE.read_text(encoding="utf-8"), _opening(claims, pictures, root)]
    for paper, text in texts.items():
        names = [name for owner, name in named if owner == paper]
        own = claims[claims["paper"] == paper]
        parts.append(f"#pagebreak()\n= {typeset(text['title'])}\n_{typeset(text['authors'])}_\n")
        parts.append(f"*What it asks.* {typeset(text['asks'])}\n\n*What was done.* {typeset(text['done'])}\n")
        for origin, title in (("paper", "What the paper claims"), ("beyond", "What we ask beyond it")):
            if len(some := own[own["origin"] == origin]):
                parts.append(f"== {title}\n{verdicts(some)}")
        chosen = [[choice.text, choice.file.as_posix()] for choice in choices(root, paper)]
        parts.append(f"== Where the protocol had to be chosen\n{table(['choice', 'file'], chosen, '(3fr, 2fr)')}")
        parts.append(f"== Cost\n{costs(logs, paper, names)}")
        parts.append("== Figures\n" + "\n".join(figure(pictures, paper, name, root) for name in names))
    return "\n".join(parts)


#: Figures across papers, and what they show. The scorecard is as long as the tables of verdicts say in words.
ACROSS = {
    "judge": "How far the judge can be trusted, and how many trials decide which effect.",
    "multiverse": "In which share of the analyses and protocols that the papers allow the claims hold.",
    "guarantees": "What each mechanism promises, keeps, and shows in an audit.",
}


def _opening(claims: pd.DataFrame, pictures: Path, root: Path) -> str:
    shown = "\n".join(
        f'#figure(image("/{(pictures / name).relative_to(root)}.svg", width: 92%), caption: [{typeset(said)}])'
        for name, said in ACROSS.items()
        if (pictures / f"{name}.svg").is_file()
    )
    return f"""#align(center)[#text(17pt, weight: "bold")[Learning through a veil: four papers replicated]]

Four papers learn from data that is seen only through noise or counts. Every figure and table of theirs was made anew
from raw data; each claim was judged by one rule, from simultaneous intervals and a stated smallest effect.

== Verdicts
{tally(claims)}
{shown}
"""


def write(root: Path, folders: Mapping[str, str], output: Path) -> None:
    """Typeset the report; the same results give the same bytes."""
    source = root / ".cache" / "replication.typ"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(document(root, folders), encoding="utf-8")
    typst.compile(str(source), output=str(output), root=str(root), timestamp=0)


if __name__ == "__main__":
    here = Path.cwd()
    write(here, shipped(here)["folders"], Path("replication.pdf"))
