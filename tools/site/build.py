"""The site: sources and what is made from a run are laid side by side, and Sphinx builds them.

Nothing is fetched: mathematics is MathML, the theme's files come with it, tutorials run here and now.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from replication.judging import words
from replication.judging.scorecard import TITLES
from tools.costs import configured_figures
from tools.site import library, papers
from tools.site.collected import Collected
from tools.site.markup import directive, heading
from tools.site.uses import uses

#: Pages from elsewhere in the project, by their names on the site.
ELSEWHERE = {"config/README.md": "configuration.md", "CHANGELOG.md": "changelog.md"}
#: What Sphinx leaves for itself and for other builds.
NEEDLESS = (".buildinfo", "objects.inv", "webpack-macros.html")
#: What a build neither reads nor may see.
LEFT_OUT = {".git", ".venv", ".cache", ".snakemake", "docs", "data", "results", "figures", "logs", "report"}


def made(collected: Collected, root: Path) -> Iterator[tuple[str, str]]:
    """The pages that no one types: papers, library, verdicts."""
    figures = configured_figures(root)
    yield from papers.pages(collected, root, figures)
    yield from library.pages(collected, uses(root, figures))
    yield "more.rst", more(root)
    if len(collected.claims):
        yield "claims.md", words.page(collected.claims, TITLES)


def more(root: Path) -> str:
    """The list of all pages that no other page lists."""
    found = {file.stem for file in (root / "docs").glob("*.md")} | {Path(name).stem for name in ELSEWHERE.values()}
    pages = [*FIRST, *sorted(found - {*FIRST, *LISTED})]
    return f"{heading('More')}\n{directive('toctree', '', chr(10).join(pages), maxdepth='1')}"


#: Pages that come first in that list, and those that stand elsewhere.
FIRST = ("errata", "safe_noise", "changing", "adding")
LISTED = ("index", "claims", "playground")


def lay_out(root: Path, collected: Path, stage: Path) -> Path:
    """A copy of the sources with the made pages among them; the rest of the project stands beside it by links."""
    shutil.rmtree(stage, ignore_errors=True)
    docs = stage / "docs"
    shutil.copytree(root / "docs", docs, ignore=shutil.ignore_patterns("_site", "gallery"))
    shutil.copytree(collected, docs / "gallery")
    for entry in root.iterdir():
        if entry.name not in LEFT_OUT:
            (stage / entry.name).symlink_to(entry.resolve())
    scores = docs / "gallery" / "playground.json"
    played = scores.read_text(encoding="utf-8") if scores.is_file() else '{"tasks": [], "leaders": []}'
    # A page that lies in a folder may not read another file, but it may run a script.
    (docs / "_static" / "playground_data.js").write_text(f"const PLAYGROUND = {played};", encoding="utf-8")
    for elsewhere, name in ELSEWHERE.items():
        text = (root / elsewhere).read_text(encoding="utf-8")
        (docs / name).write_text(re.sub(r"\]\((\.\./)?docs/", "](", text), encoding="utf-8")
    for page in docs.glob("*.md"):
        page.write_text(_at_home(page.read_text(encoding="utf-8")), encoding="utf-8")
    for name, text in made(Collected(docs / "gallery"), root):
        file = docs / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return docs


def _at_home(text: str) -> str:
    """A page's links to pages from elsewhere, as they lie on the site."""
    for page, name in ELSEWHERE.items():
        text = text.replace(f"](../{page}", f"]({name}")
    return text


def build(root: Path, collected: Path, output: Path, stage: Path) -> Path:
    """Build the site anew into `output`; a warning is an error."""
    from sphinx.application import Sphinx

    docs = lay_out(root, collected, stage)
    shutil.rmtree(output, ignore_errors=True)
    site = Sphinx(
        docs, docs, stage / "html", stage / "doctrees", "html", warningiserror=True, status=None, keep_going=True
    )
    site.build()
    if site.statuscode:
        raise SystemExit(f"error: the site has {site._warncount} warnings, see above")
    shutil.copytree(
        stage / "html", output, ignore=shutil.ignore_patterns(".buildinfo", "objects.inv", "webpack-macros.html")
    )
    return output
