"""The pictures in the README: small copies of the figures, committed under docs/gallery, and the table of claims.

`python -m tools.gallery` makes them from `figures/` and `results/`; `make gallery` calls it after a run.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

from replication.engine.task import read_scores
from replication.judging import words
from replication.judging.scorecard import TITLES
from tools.costs import configured_figures
from unveil.errors import require

WIDTH, COLOURS = 900, 128
#: Pictures in a row of the README.
ROW = 3
BEGIN, END = "<!-- gallery: made by `make gallery` -->", "<!-- end of gallery -->"
FOLDER = Path("docs", "gallery")
#: Figures across papers, which come first.
ACROSS = ("scorecard", "judge", "guarantees")

Name = tuple[str, ...]


def shrink(picture: Path, thumbnail: Path) -> None:
    """A copy at reading size with few colours: tens of kilobytes, and always the same bytes."""
    with Image.open(picture) as image:
        height = round(image.height * WIDTH / image.width)
        small = image.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS)
    thumbnail.parent.mkdir(parents=True, exist_ok=True)
    # An octree keeps the colours of thin lines; by default rare colours are merged into common ones.
    small.quantize(COLOURS, method=Image.Quantize.FASTOCTREE).save(thumbnail, optimize=True)


def page(figures: Path, names: Sequence[Name]) -> str:
    """The gallery's page: every picture with the command that makes it and its caption."""
    lines = ["# Gallery", "", "Made by `make gallery` from figures at the scale of the papers.", ""]
    for name in names:
        title, command = " ".join(name), f"snakemake --cores 4 figures/{'/'.join(name)}.pdf"
        lines += [f"## {title}", "", f"`{command}`", "", f"![{title}]({'_'.join(name)}.png)", ""]
        lines += [text, ""] if (text := caption(figures, name)) else []
    return "\n".join(lines)


def caption(figures: Path, name: Name) -> str:
    """The caption of a figure as it was filled in; those without one explain themselves."""
    file = figures.joinpath(*name).with_suffix(".rst")
    return file.read_text(encoding="utf-8").strip().replace("``", "`") if file.is_file() else ""


def wall(names: Sequence[Name]) -> str:
    """All pictures in small for the README, each a link to its command."""
    first, *rest = names
    lines = [_linked(first), ""] if len(first) == 1 else []
    cells = [_linked(name) for name in (rest if lines else names)]
    cells += [""] * (-len(cells) % ROW)
    lines += ["| " * ROW + "|", "| --- " * ROW + "|"]
    lines += [f"| {' | '.join(cells[i : i + ROW])} |" for i in range(0, len(cells), ROW)]
    return "\n".join(lines)


def _linked(name: Name) -> str:
    title, anchor = " ".join(name), "-".join(name).lower()
    return f"[![{title}](docs/gallery/{'_'.join(name)}.png)](docs/gallery/README.md#{anchor})"


def make(root: Path) -> None:
    """All pictures that were made, their page, the README's wall of pictures, and the table of claims."""
    figures, gallery = root / "figures", root / FOLDER
    everything: list[Name] = [*((name,) for name in ACROSS), *configured_figures(root)]
    names = [name for name in everything if figures.joinpath(*name).with_suffix(".png").is_file()]
    require(names, "there are no figures yet: run `make figures` first")
    for name in names:
        shrink(figures.joinpath(*name).with_suffix(".png"), gallery / f"{'_'.join(name)}.png")
    (gallery / "README.md").write_text(page(figures, names), encoding="utf-8")
    readme = root / "README.md"
    text = readme.read_text(encoding="utf-8")
    parts = [wall(names)]
    claims = root / "results" / "claims.csv"
    if claims.is_file():
        # The copy is what later runs are compared with.
        shutil.copyfile(claims, gallery / "claims.csv")
        (root / "docs" / "claims.md").write_text(words.page(read_scores(claims), TITLES), encoding="utf-8")
        parts = ["The verdicts of the last whole run: [docs/claims.md](docs/claims.md).\n", *parts]
    shown = "\n".join([BEGIN, *parts, END])
    readme.write_text(re.sub(f"{BEGIN}.*?{END}", lambda _: shown, text, flags=re.DOTALL), encoding="utf-8")


if __name__ == "__main__":
    make(Path())
