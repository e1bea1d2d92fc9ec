"""The errata of all papers, and their page.

`python -m tools.errata_page` writes docs/errata.md anew from the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from replication.judging.erratum import Erratum, Kind
from tools.configuration import load_templates, read_texts

ERRATA: Mapping[str, tuple[Erratum, ...]] = {
    paper: import_module(f"replication.papers.{paper}.errata").ERRATA
    for paper in read_texts()
    if find_spec(f"replication.papers.{paper}.errata")  # of what is ours there are none
}


def page() -> str:
    """The page in Markdown: what the kinds mean and how many there are, then paper by paper and kind by kind."""
    templates = load_templates()
    # Nothing may look like emphasis.
    templates.filters["escaped"] = lambda text: text.replace("*", "\\*").replace("_", "\\_")
    return templates.get_template("errata.md").render(papers=ERRATA, kinds=list(Kind), texts=read_texts())


if __name__ == "__main__":
    Path("docs", "errata.md").write_text(page(), encoding="utf-8")
