"""`python -m tools.site` builds docs/_site of the last whole run; with `report`, report/ of this folder's own run."""

from __future__ import annotations

import sys
from pathlib import Path

from tools import gallery
from tools.configuration import shipped
from tools.site.build import build

#: Where the sources and the made pages lie side by side.
STAGE = Path(".cache", "site")


def report(root: Path) -> Path:
    """The site with this run's results in it."""
    collected = root / ".cache" / "report"
    gallery.gather(root, shipped(root)["folders"], collected, gallery.whole)
    return build(root, collected, root / "report", root / STAGE)


if __name__ == "__main__":
    here = Path.cwd()
    own = sys.argv[1:] == ["report"]
    made = report(here) if own else build(here, here / gallery.FOLDER, here / "docs" / "_site", here / STAGE)
    print(f"open {(made / 'index.html').relative_to(here)}", file=sys.stderr)  # noqa: T201
