"""The errata of all papers, and their page.

`python -m tools.errata_page` writes docs/errata.md anew from the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path

import pandas as pd

from replication.judging.erratum import Erratum, Kind
from replication.style import markdown_table
from tools.configuration import read_texts

#: What each paper asks comes from one table; the figures across papers have no errata.
PAPERS = {name: text for name, text in read_texts().items() if name != "crossover"}
ERRATA: Mapping[str, tuple[Erratum, ...]] = {
    paper: import_module(f"replication.papers.{paper}.errata").ERRATA for paper in PAPERS
}
HEAD = """# Errata of the four papers

Made by `python -m tools.errata_page` from `src/replication/papers/<paper>/errata.py`.

Every entry keeps the hypotheses of the statement that it corrects, and names a test that keeps them too: the test
takes what is printed and what is right, and fails if the two trade places, or if either stands for both. Slips that
leave the meaning plain are not listed: a wrong cross-reference, a symbol without its index, a word. Places are
equations, theorems and sections of the papers; the formulas are in this project's words. Entries with a † hang on one
accent, bar or sign of a text that was read from print by machine: they wait for a look at the page itself.

"""


def page() -> str:
    """The page in Markdown: what the kinds mean and how many there are, then paper by paper and kind by kind."""
    counts = {paper: [sum(entry.kind is kind for entry in errata) for kind in Kind] for paper, errata in ERRATA.items()}
    table = pd.DataFrame({"kind": list(Kind), **counts, "meaning": [kind.meaning for kind in Kind]})
    return HEAD + markdown_table(table) + "".join(line for paper in PAPERS for line in paper_lines(paper))


def paper_lines(paper: str) -> Iterator[str]:
    """A heading, and under each kind's a paragraph with the place of every entry and a list with the rest."""
    yield f"\n## {PAPERS[paper]['authors']}: {PAPERS[paper]['title']}\n"
    for kind in Kind:
        entries = [entry for entry in ERRATA[paper] if entry.kind is kind]
        yield from [f"\n### {kind.capitalize()}\n"] if entries else []
        for entry in entries:
            yield f"\n**{entry.id}**, {_escape(entry.place)}{' †' if entry.faint else ''}\n\n"
            yield f"- Printed: {_escape(entry.printed)}\n- Right: {_escape(entry.corrected)}\n"
            yield f"- Hypotheses kept: {_escape(entry.hypotheses)}\n- Why it matters: {_escape(entry.why)}\n"
            yield f"- Shown by [{entry.function}](../{entry.file})\n"


def _escape(text: str) -> str:
    """Text in which nothing looks like emphasis."""
    return text.replace("*", "\\*").replace("_", "\\_")


if __name__ == "__main__":
    Path("docs", "errata.md").write_text(page(), encoding="utf-8")
