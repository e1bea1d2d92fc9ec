"""The site: sources and what is made from a run are laid side by side, and Sphinx builds them.

Nothing is fetched: mathematics is MathML, the theme's files come with it, tutorials run here and now.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from tools.site.collected import Collected
from tools.site.pages import make_pages

#: Pages from elsewhere in the project, by their names on the site.
ELSEWHERE = {"config/README.md": "configuration.md", "CHANGELOG.md": "changelog.md"}
#: What Sphinx leaves for itself and for other builds.
NEEDLESS = (".buildinfo", "objects.inv", "webpack-macros.html")
#: What a build neither reads nor may see.
LEFT_OUT = {".git", ".venv", ".cache", ".snakemake", "docs", "data", "results", "figures", "logs", "report"}


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
    for name, text in make_pages(Collected(docs / "gallery"), root, ELSEWHERE.values()):
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
    shutil.copytree(stage / "html", output, ignore=shutil.ignore_patterns(*NEEDLESS))
    return output
