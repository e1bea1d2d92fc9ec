"""Stage `claims`: every claim of the papers held against the scores of its figure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from replication.engine.storage import load_json
from replication.engine.task import read_scores, write_csv
from replication.judging.verdicts import Claim, Verdict, graded, untestable, worst_grade

COLUMNS = ["paper", "figure", "claim", "statement", "place"]
COLUMNS += ["verdict", "effect", "low", "high", "n", "grade", "note"]

#: The folder of each figure's scores, by (paper, figure).
Folders = Mapping[tuple[str, str], Path]


def claims_of(paper: str) -> Sequence[Claim]:
    """The claims of a paper, from its module."""
    claims: Sequence[Claim] = import_module(f"replication.papers.{paper}.claims").CLAIMS
    return claims


def judge(papers: Iterable[str], scores: Iterable[Path], output: Path) -> None:
    """Write one row a claim."""
    folders = {(path.parent.parent.name, path.parent.name): path.parent for path in scores}
    write_csv(output, verdicts(papers, folders))


def verdicts(papers: Iterable[str], folders: Folders) -> pd.DataFrame:
    """All claims of the papers, in their order; a claim whose figure was not made cannot be tested."""
    tables: dict[tuple[str, str], tuple[pd.DataFrame, dict[str, str]]] = {}
    found = []
    for paper in papers:
        for claim in claims_of(paper):
            key = paper, claim.figure
            if key in folders and key not in tables:
                tables[key] = _load(folders[key])
            found.append(_row(paper, claim, tables.get(key)))
    return pd.DataFrame(found, columns=COLUMNS)


def _load(folder: Path) -> tuple[pd.DataFrame, dict[str, str]]:
    """A figure's scores, and the grade of each of its data sets."""
    data = load_json(folder / "scores.meta.json")["data"]
    return read_scores(folder / "scores.csv"), {item["dataset"]: item["grade"] for item in data}


def _row(paper: str, claim: Claim, table: tuple[pd.DataFrame, dict[str, str]] | None) -> dict[str, Any]:
    if table is None:
        verdict, grades = untestable("the figure is not in this run's configuration"), {}
    else:
        scores, known = table
        grades = known if claim.rests_on_all else {name: known[name] for name in claim.datasets if name in known}
        verdict = graded(claim.decide(scores), grades)
    return {
        "paper": paper,
        "figure": claim.figure,
        "claim": claim.id,
        "statement": claim.statement,
        "place": claim.place,
        **_cells(verdict),
        "grade": worst_grade(list(grades.values())) if table or not claim.datasets else "",
        "note": verdict.note,
    }


def _cells(verdict: Verdict) -> dict[str, Any]:
    numbers = {"effect": verdict.effect, "low": verdict.low, "high": verdict.high, "n": verdict.n}
    return {"verdict": str(verdict.outcome), **numbers}
