"""The errata of all papers, and their page.

`python -m tools.errata_page` writes docs/errata.md anew from the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from replication.judging.erratum import Erratum, Kind
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

Made by `python -m tools.errata_page` from `src/replication/papers/<paper>/errata.py`.

Every entry keeps the hypotheses of the statement that it corrects, and names a test that keeps them too: the test
takes what is printed and what is right, and fails if the two trade places, or if either stands for both. Slips that
leave the meaning plain are not listed: a wrong cross-reference, a symbol without its index, a word. Places are
equations, theorems and sections of the papers; the formulas are in this project's words. Entries with a † hang on one
accent, bar or sign of a text that was read from print by machine: they wait for a look at the page itself.
"""


def page() -> str:
    """The page in Markdown: what the kinds mean and how many there are, then paper by paper and kind by kind."""
    return "".join([_HEAD, _summary(), *(_paper(paper) for paper in ERRATA)])


def _summary() -> str:
    lines = [["kind", *ERRATA, "meaning"], ["---", *["---:"] * len(ERRATA), "---"]]
    for kind in Kind:
        counts = (str(sum(entry.kind is kind for entry in errata)) for errata in ERRATA.values())
        lines.append([kind, *counts, kind.meaning])
    return "\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _paper(paper: str) -> str:
    return f"\n## {_TITLES[paper]}\n" + "".join(_kinds(ERRATA[paper]))


def _kinds(errata: tuple[Erratum, ...]) -> Iterator[str]:
    for kind in Kind:
        entries = [entry for entry in errata if entry.kind is kind]
        if entries:
            yield f"\n### {kind.capitalize()}\n" + "".join(_entry(entry) for entry in entries)


def _entry(entry: Erratum) -> str:
    """A paragraph with the place and a list with the rest."""
    rows = {
        "Printed": entry.printed,
        "Right": entry.corrected,
        "Hypotheses kept": entry.hypotheses,
        "Why it matters": entry.why,
    }
    lines = "".join(f"- {name}: {_text(row)}\n" for name, row in rows.items())
    mark = " †" if entry.faint else ""
    return f"\n**{entry.id}**, {_text(entry.place)}{mark}\n\n{lines}- Shown by [{entry.function}](../{entry.file})\n"


def _text(text: str) -> str:
    """Text in which nothing looks like emphasis."""
    for mark in "*_":
        text = text.replace(mark, f"\\{mark}")
    return text


if __name__ == "__main__":
    Path("docs", "errata.md").write_text(page(), encoding="utf-8")
