"""What a run left behind, gathered: pictures with their captions, verdicts, guarantees, costs, scores to play with.

`python -m tools.gallery` gathers small copies under docs/gallery, which are committed and shown on the site, and writes
the README's table of costs; `make gallery` calls it after a run. `make report` gathers a run's own pictures.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from PIL import Image

from replication import judging
from replication.judging import words
from replication.judging.scorecard import TITLES
from tools import playground
from tools.configuration import load_templates, shipped
from tools.costs import configured_figures, configured_pictures, cost_table, readme_table
from tools.site.collected import ACROSS, Collected, Name
from unveil.errors import require

WIDTH, COLOURS = 900, 128
BEGIN, END = "<!-- figures: made by `make gallery` -->", "<!-- end of figures -->"
FOLDER = Path("docs", "gallery")
JUDGING = Path(judging.__file__).parent
#: From the picture as a run drew it, without its suffix, to the picture that is shown, likewise.
Copy = Callable[[Path, Path], None]


def shrink(picture: Path, thumbnail: Path) -> None:
    """A copy at reading size with few colours: tens of kilobytes, and always the same bytes."""
    with Image.open(picture.with_suffix(".png")) as image:
        height = round(image.height * WIDTH / image.width)
        small = image.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS)
    # An octree keeps the colours of thin lines; by default rare colours are merged into common ones.
    palette = small.quantize(COLOURS, method=Image.Quantize.FASTOCTREE)
    palette.save(thumbnail.with_suffix(".png"), optimize=True)


def whole(picture: Path, copy: Path) -> None:
    """The drawing itself, sharp at every size, and as a PDF."""
    for suffix in (".svg", ".pdf"):
        shutil.copyfile(picture.with_suffix(suffix), copy.with_suffix(suffix))


def gather(root: Path, folders: Mapping[str, str], folder: Path, copy: Copy) -> list[Name]:
    """All that a run left behind, in one folder; the names of the figures that it drew."""
    figures, results, logs = (root / folders[name] for name in ("figures", "results", "logs"))
    everything: list[Name] = [*((name,) for name in ACROSS), *configured_pictures(root)]
    names = [name for name in everything if figures.joinpath(*name).with_suffix(".svg").is_file()]
    require(names, "there are no figures yet: run `make figures` first")
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        picture, shown = figures.joinpath(*name), folder / "_".join(name)
        copy(picture, shown)
        caption = JUDGING / ACROSS[name[0]][0] if len(name) == 1 else picture.with_suffix(".rst")
        if caption.is_file():
            shutil.copyfile(caption, shown.with_suffix(".rst"))
    for table in ("claims.csv", "guarantees.csv"):
        if (results / table).is_file():
            shutil.copyfile(results / table, folder / table)
    cost_table(configured_figures(root), logs).to_csv(folder / "costs.csv", index=False)
    playground.write(results, folder / "playground.json")
    return names


def plain(caption: str) -> str:
    """A caption as Markdown: without the roles of reStructuredText."""
    return re.sub(r":math:`([^`]*)`", r"\1", caption).replace("\\max", "max").replace("\\ln", "ln").replace("``", "`")


def page(run: Collected, names: Sequence[Name]) -> str:
    """The gallery's page: every picture with the command that makes it, what it cost, and its caption."""
    groups: dict[str, list[Name]] = {}
    for name in names:
        groups.setdefault(name[0] if len(name) > 1 else "all papers", []).append(name)
    templates = load_templates()
    templates.filters["markdown"] = plain
    return templates.get_template("gallery.md").render(run=run, names=names, groups=groups)


def make(root: Path) -> None:
    """All pictures that were made, their page, the README's table, and the verdicts in words."""
    gallery = root / FOLDER
    names = gather(root, shipped(root)["folders"], gallery, shrink)
    run = Collected(gallery)
    (gallery / "README.md").write_text(page(run, names), encoding="utf-8")
    readme = root / "README.md"
    shown = f"{BEGIN}\n{readme_table(configured_figures(root), run.costs)}\n{END}"
    text = re.sub(f"{BEGIN}.*?{END}", lambda _: shown, readme.read_text(encoding="utf-8"), flags=re.DOTALL)
    readme.write_text(text, encoding="utf-8")
    if len(claims := run.claims):
        # The table beside the pictures is what later runs are compared with.
        (root / "docs" / "claims.md").write_text(words.page(claims, TITLES), encoding="utf-8")


if __name__ == "__main__":
    make(Path())
