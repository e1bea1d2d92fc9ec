"""What a site shows of a run: pictures, captions, verdicts, guarantees and costs, gathered in one folder.

`make gallery` fills docs/gallery with those of the last whole run, of which git holds a few; `make report` gathers a
run's own.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from replication.engine.task import read_scores
from replication.judging import words
from replication.judging.captions import plain
from replication.judging.judge import COLUMNS

Name = tuple[str, ...]
#: Figures across papers, which come first: where their captions stand below `src/replication/judging`, what they show.
ACROSS = {
    "scorecard": ("scorecard.rst", "The headline claims with their verdicts; makes all figures first"),
    "judge": ("calibration.rst", "How far the judge can be trusted, and how many trials decide which effect"),
    "multiverse": (
        "multiverse/caption.rst",
        "In which share of the analyses and protocols that the papers allow the claims hold",
    ),
    "guarantees": ("guarantees/caption.rst", "What each mechanism promises, keeps, and shows in an audit"),
}


@dataclass(frozen=True)
class Collected:
    """The folder in which what a run left behind was gathered."""

    folder: Path

    def file(self, name: Name, suffix: str) -> Path | None:
        """A file of a figure, if the run made it."""
        file = self.folder / f"{'_'.join(name)}{suffix}"
        return file if file.is_file() else None

    def picture(self, name: Name) -> Path | None:
        """The picture of a figure, as it was drawn or else its small copy."""
        return self.file(name, ".svg") or self.file(name, ".png")

    def files(self, name: Name) -> list[Path]:
        """What a reader may take home of a figure."""
        return [file for suffix in (".pdf", ".csv") if (file := self.file(name, suffix))]

    def table(self, name: Name) -> tuple[list[str], list[list[str]]] | None:
        """The cells of a figure that is a table: its head, its lines."""
        if not (file := self.file(name, ".md")):
            return None
        lines = (re.split(r"(?<!\\)\|", line)[1:-1] for line in file.read_text(encoding="utf-8").splitlines() if line)
        header, _, *rows = ([cell.strip().replace("\\|", "|") for cell in line] for line in lines)
        return header, rows

    def _text(self, name: Name, suffix: str) -> str:
        file = self.file(name, suffix)
        return file.read_text(encoding="utf-8").strip() if file else ""

    def caption(self, name: Name) -> str:
        """The caption in reStructuredText: what is seen, by its first claim; the words; how many claims hold."""
        rows = [row for row in self.rows if (row["paper"], row["figure"]) == name]
        first = words.lead(rows)
        seen = [f"**{plain(words.finding(first))}**"] if first else []
        return " ".join(filter(None, [*seen, self._text(name, ".rst"), plain(words.tally(rows))]))

    def method(self, name: Name) -> str:
        """What stands folded below a caption."""
        return self._text(name, ".method.rst")

    def alt(self, name: Name) -> str:
        """What is seen, for who does not see it: the caption's first two sentences without markup, on one line."""
        text = re.sub(r":\w+:`([^`]*)`|\*\*|``", r"\1", self.caption(name)).replace("\\", "")
        said = " ".join(re.split(r"(?<=[a-z)]\.)\s", " ".join(text.split()))[:2])
        return said or " ".join(name).replace("_", " ")

    @cached_property
    def claims(self) -> pd.DataFrame:
        """The verdicts; none where the run judged nothing, or by another rule than today's."""
        found = self._table("claims.csv")
        return found if set(COLUMNS) <= set(found) else pd.DataFrame(columns=COLUMNS)

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """The same, one by one."""
        return list(self.claims.to_dict("records"))

    @property
    def guarantees(self) -> list[dict[str, Any]]:
        """What every mechanism promises, keeps and shows in an audit."""
        return list(self._table("guarantees.csv").to_dict("records"))

    @property
    def choices(self) -> pd.DataFrame:
        """What the papers leave open, what was taken, and which verdicts turn."""
        return self._table("claims_choices.csv")

    @property
    def costs(self) -> dict[Name, tuple[float, float]]:
        """CPU minutes and peak memory (GiB) of the figures that the run made."""
        table = self._table("costs.csv")
        return {(row.paper, row.figure): (row.cpu_minutes, row.peak_gib) for row in table.itertuples()}

    @property
    def origin(self) -> str:
        """Which commit's run this is, and of which day."""
        file = self.folder / "run.json"
        return "run of {date}, commit {commit}".format(**json.loads(file.read_text())) if file.is_file() else ""

    def _table(self, name: str) -> pd.DataFrame:
        file = self.folder / name
        return read_scores(file) if file.is_file() else pd.DataFrame()
