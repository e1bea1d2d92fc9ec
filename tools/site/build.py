"""The site: sources and what is made from a run are laid side by side, and Sphinx builds them.

`python -m tools.site.build` makes docs/_site of the last whole run; with `report`, report/ of this folder's own run.
Nothing is fetched: mathematics is MathML, the theme's files come with it, tutorials run here and now.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from replication.palette import VERDICTS
from tools import gallery
from tools.configuration import shipped
from tools.costs import configured_pictures
from tools.site.collected import Collected
from tools.site.pages import make_pages
from unveil.errors import require

#: Where the sources and the made pages lie side by side.
STAGE = Path(".cache", "site")
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
    colours = (f".{name} {{ --of-verdict: {look.color}; }}\n" for name, look in VERDICTS.items())
    (docs / "_static" / "verdicts.css").write_text("".join(colours), encoding="utf-8")
    for elsewhere, name in ELSEWHERE.items():
        text = (root / elsewhere).read_text(encoding="utf-8")
        (docs / name).write_text(re.sub(r"\]\((\.\./)?docs/", "](", text), encoding="utf-8")
    for page in docs.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        for elsewhere, name in ELSEWHERE.items():
            text = text.replace(f"](../{elsewhere}", f"]({name}")
        page.write_text(text, encoding="utf-8")
    run = Collected(docs / "gallery")
    (docs / "origin.txt").write_text(run.origin, encoding="utf-8")
    for name, text in make_pages(run, root, list(configured_pictures(root))):
        file = docs / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return docs


def build(root: Path, collected: Path, output: Path, stage: Path) -> Path:
    """Build the site anew into `output`; a warning is an error."""
    docs = lay_out(root, collected, stage)
    shutil.rmtree(output, ignore_errors=True)
    quietly = ["--quiet", "--fail-on-warning", "--keep-going", "--doctree-dir", str(stage / "doctrees")]
    # In a process of its own: Sphinx changes the signatures of what it documents.
    command = [sys.executable, "-m", "sphinx", *quietly, str(docs), str(stage / "html")]
    require(subprocess.run(command, check=False).returncode == 0, "the site has warnings, see above")  # noqa: S603
    shutil.copytree(stage / "html", output, ignore=shutil.ignore_patterns(*NEEDLESS))
    return output


def main(root: Path, own: bool) -> Path:
    """The site of the last whole run, or of this folder's own."""
    if not own:
        return build(root, root / gallery.FOLDER, root / "docs" / "_site", root / STAGE)
    gallery.gather(root, shipped(root)["folders"], root / ".cache" / "report")
    return build(root, root / ".cache" / "report", root / "report", root / STAGE)


if __name__ == "__main__":
    made = main(Path.cwd(), own=sys.argv[1:] == ["report"])
    print(f"open {(made / 'index.html').relative_to(Path.cwd())}", file=sys.stderr)  # noqa: T201
