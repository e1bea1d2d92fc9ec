"""The errata of all papers, and their page.

`python -m tools.errata_page` writes docs/errata.md anew from the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from replication.judging.erratum import Erratum
from replication.papers.class_ratio import errata as class_ratio
from replication.papers.linear_moments import errata as linear_moments
from replication.papers.mean_operator import errata as mean_operator
from replication.papers.spread import errata as spread

ERRATA: Mapping[str, tuple[Erratum, ...]] = {
    "linear_moments": linear_moments.ERRATA,
    "mean_operator": mean_operator.ERRATA,
    "class_ratio": class_ratio.ERRATA,
    "spread": spread.ERRATA,
}

_TITLES = {
    "linear_moments": "Raghunathan, Frostig, Duchi, Liang: Estimation from Indirect Supervision with Linear Moments",
    "mean_operator": "Patrini and co-authors: the mean operator, loss factorization and label-private release",
    "class_ratio": "Iyer, Nath, Sarawagi: Privacy-preserving Class Ratio Estimation",
    "spread": "Barber: Private Machine Learning via Randomised Response",
}

_HEAD = """# Errata of the four papers

Made by `python -m tools.errata_page` from `src/replication/papers/<paper>/errata.py`. Every entry names a test
that fails if the printed version is right. Places are equations, theorems and sections of the papers; the formulas are
in this project's words.
"""


def page() -> str:
    """The page in Markdown, one table a paper."""
    parts = [_HEAD]
    for paper, errata in ERRATA.items():
        parts.append(f"\n## {_TITLES[paper]}\n\n{_table(errata)}")
    return "".join(parts)


def _table(errata: Iterable[Erratum]) -> str:
    lines = [
        ["id", "place", "printed", "corrected", "why it matters", "test"],
        ["---"] * 6,
        *(
            [_cell(text) for text in (entry.id, entry.place, entry.printed, entry.corrected, entry.why, _link(entry))]
            for entry in errata
        ),
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _link(entry: Erratum) -> str:
    return f"[{entry.function}](../{entry.file})"


def _cell(text: str) -> str:
    """Text that neither ends its cell nor looks like emphasis."""
    for mark in "|*":
        text = text.replace(mark, f"\\{mark}")
    return text


if __name__ == "__main__":
    Path("docs", "errata.md").write_text(page(), encoding="utf-8")
