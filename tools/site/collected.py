"""What a site shows of a run: pictures, captions, verdicts, guarantees and costs, gathered in one folder.

`docs/gallery` holds those of the last whole run, small enough to be committed; `make report` gathers a run's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from replication.engine.task import read_scores
from replication.judging.judge import COLUMNS

Name = tuple[str, ...]
#: Figures across papers, which come first: where their captions stand below `src/replication/judging`, what they show.
ACROSS = {
    "scorecard": ("scorecard.rst", "Every claim with its verdict; makes all figures first"),
    "judge": ("calibration.rst", "How far the judge can be trusted, and how many trials decide which effect"),
    "multiverse": (
        "multiverse/caption.rst",
        "In which share of the analyses and protocols that the papers allow the claims hold",
    ),
    "guarantees": ("guarantees/caption.rst", "What each mechanism promises, keeps, and shows in an audit"),
}
#: A picture as it was drawn, else its small copy.
FORMATS = (".svg", ".png")


@dataclass(frozen=True)
class Collected:
    """The folder in which what a run left behind was gathered."""

    folder: Path

    def picture(self, name: Name) -> Path | None:
        """The picture of a figure, if the run drew it."""
        files = (self.folder / f"{'_'.join(name)}{suffix}" for suffix in FORMATS)
        return next((file for file in files if file.is_file()), None)

    def caption(self, name: Name) -> str:
        """The caption as it was filled in, in reStructuredText."""
        file = self.folder / f"{'_'.join(name)}.rst"
        return file.read_text(encoding="utf-8").strip() if file.is_file() else ""

    @property
    def claims(self) -> pd.DataFrame:
        """The verdicts; none where the run judged nothing, or by another rule than today's."""
        found = self._table("claims.csv")
        return found if set(COLUMNS) <= set(found) else pd.DataFrame(columns=COLUMNS)

    @property
    def guarantees(self) -> list[dict[str, Any]]:
        """What every mechanism promises, keeps and shows in an audit."""
        return list(self._table("guarantees.csv").to_dict("records"))

    @property
    def costs(self) -> dict[Name, tuple[float, float]]:
        """CPU minutes and peak memory (GiB) of the figures that the run made."""
        table = self._table("costs.csv")
        return {(row.paper, row.figure): (row.cpu_minutes, row.peak_gib) for row in table.itertuples()}

    def _table(self, name: str) -> pd.DataFrame:
        file = self.folder / name
        return read_scores(file) if file.is_file() else pd.DataFrame()
