"""`replication.pdf`: the replication as a paper of its own, from what a run left behind.

`python -m tools.paper` writes it after `snakemake all`; `make report` calls it. Nothing in it about results is typed by
hand: verdicts come from claims.csv, captions as they were filled in, deviations from the `# ASSUME:` marks of the code,
costs from the run's own records.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import typst

from replication.engine.task import read_scores
from tools.configuration import load_templates, read_texts, shipped
from tools.costs import configured_figures, cost_table
from tools.site.collected import ACROSS
from unveil.errors import require

#: Verdicts in the order of the tables.
VERDICTS = ["reproduced", "conditional", "contradicted", "undecided", "untestable"]
ORIGINS = {"paper": "What the paper claims", "beyond": "What we ask beyond it"}
MARK = "ASSUME: "


class Choice(NamedTuple):
    """A scientific choice that a paper leaves open: why it was made so, and where."""

    text: str
    file: Path


def choices(root: Path, paper: str) -> Iterator[Choice]:
    """The marked choices of one paper: in its figures' code and in its configuration."""
    code = sorted((root / "src" / "replication" / "papers" / paper).rglob("*.py"))
    for file in (*code, root / "config" / f"{paper}.yaml"):
        lines = file.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines):
            before, mark, said = line.partition(MARK)
            if mark:
                following = lines[number + 1 :]
                text = _read_comment(said, following) if "#" in before else _read_passage(said, following)
                yield Choice(" ".join(text.split()), file.relative_to(root))


def _read_comment(said: str, following: Sequence[str]) -> str:
    """A mark in a comment: it goes on while comments do, up to the next mark."""
    more = (re.match(r"\s*#:? (.*)", line) for line in following)
    return " ".join([said, *(found[1] for found in takewhile(lambda m: m and MARK not in m[1], more) if found)])


def _read_passage(said: str, following: Sequence[str]) -> str:
    """A mark in a docstring: it goes on to the end of its sentence."""
    text = " ".join([said, *takewhile(str.strip, following)]) if '"""' not in said else said
    return re.split(r'(?<=[.!?])\s|"""', text, maxsplit=1)[0]


def typeset(text: object) -> str:
    """Plain text, safe inside Typst's markup."""
    return re.sub(r"([\\#$*_`<>@~\[\]/])", r"\\\1", str(text))


def plain(caption: str) -> str:
    """A caption without its markup: mathematics as its symbols, code as its words."""
    return " ".join(re.sub(r":math:`([^`]*)`|``([^`]*)``|`([^`]*)`", r"\1\2\3", caption).replace("**", "").split())


def tally(claims: pd.DataFrame) -> list[list[Any]]:
    """How many claims of each paper, and of ours beyond it, met which verdict."""
    return [
        [paper.replace("_", " "), origin, *part["verdict"].value_counts().reindex(VERDICTS, fill_value=0)]
        for (paper, origin), part in claims.groupby(["paper", "origin"], sort=False)
    ]


def claim_cells(row: Any) -> list[str]:
    """A claim with what was seen."""
    printed = "" if pd.isna(row.printed) else f"{row.printed:.3g}"
    ours = "" if pd.isna(row.ours) else f"{row.ours:.3g}"
    if ours and row.low != row.high:
        ours += f" ({row.low:.3g} to {row.high:.3g})"
    return [row.statement, row.place, row.verdict, printed, ours, row.unit, row.grade]


def describe_paper(root: Path, folders: Mapping[str, str], paper: str, claims: pd.DataFrame) -> dict[str, Any]:
    """All that the template says of one paper."""
    names = [name for name in configured_figures(root) if name[0] == paper]
    parts = {title: claims[claims["origin"] == origin] for origin, title in ORIGINS.items()}
    costs = cost_table(names, root / folders["logs"])[["figure", "cpu_minutes", "peak_gib"]]
    return {
        "verdicts": {title: list(map(claim_cells, part.itertuples())) for title, part in parts.items() if len(part)},
        "choices": list(choices(root, paper)),
        "costs": [[figure, f"{minutes:.1f}", f"{peak:.2f}"] for figure, minutes, peak in costs.to_numpy()],
        "figures": [describe_figure(root, Path(folders["figures"], *name)) for name in names],
    }


def describe_figure(root: Path, figure: Path) -> dict[str, str]:
    """A figure's picture and its caption as it was filled in."""
    picture, words = figure.with_suffix(".svg"), root / figure.with_suffix(".rst")
    require((root / picture).is_file(), f"{picture} is missing; run `snakemake --cores 4 all` first")
    caption = plain(words.read_text(encoding="utf-8")) if words.is_file() else ""
    return {"name": figure.name, "file": picture.as_posix(), "caption": caption}


def document(root: Path, folders: Mapping[str, str]) -> str:
    """The whole report in Typst's markup."""
    claims = read_scores(root / folders["results"] / "claims.csv")
    # The scorecard is left out: it is as long as the tables, which say the same in words.
    across = {f"{folders['figures']}/{name}.svg": words for name, (_, words) in ACROSS.items() if name != "scorecard"}
    papers = [
        {"text": text, **describe_paper(root, folders, paper, claims[claims["paper"] == paper])}
        for paper, text in read_texts().items()
    ]
    templates = load_templates()
    templates.filters["typeset"] = typeset
    return templates.get_template("replication.typ").render(
        tally=tally(claims),
        verdicts=VERDICTS,
        across=[item for item in across.items() if (root / item[0]).is_file()],
        papers=papers,
    )


def write(root: Path, folders: Mapping[str, str], output: Path) -> None:
    """Typeset the report; the same results give the same bytes."""
    source = root / ".cache" / "replication.typ"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(document(root, folders), encoding="utf-8")
    typst.compile(str(source), output=str(output), root=str(root), timestamp=0)


if __name__ == "__main__":
    here = Path.cwd()
    write(here, shipped(here)["folders"], Path("replication.pdf"))
