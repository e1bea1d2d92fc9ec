"""The pictures in the README: small copies of the figures, committed under docs/gallery.

`python -m unveil.pipeline.gallery` makes them from `figures/`; `make gallery` calls it after a whole run.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from unveil.pipeline.costs import configured_figures

WIDTH, COLOURS = 900, 64


def shrink(picture: Path, thumbnail: Path) -> None:
    """A copy at reading size with few colours: tens of kilobytes, and always the same bytes."""
    with Image.open(picture) as image:
        height = round(image.height * WIDTH / image.width)
        small = image.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS)
    thumbnail.parent.mkdir(parents=True, exist_ok=True)
    small.quantize(COLOURS).save(thumbnail, optimize=True)


def page(figures: list[tuple[str, str]]) -> str:
    """The gallery's page: every picture under the command that makes it."""
    lines = ["# Gallery", "", "Made by `make gallery` from a run at the scale of the papers.", ""]
    for paper, figure in figures:
        lines += [
            f"`snakemake --cores 4 figures/{paper}/{figure}.pdf`",
            "",
            f"![{paper} {figure}]({paper}_{figure}.png)",
            "",
        ]
    return "\n".join(lines)


def make(figures: Path, gallery: Path, config: Path) -> None:
    """All pictures, and their page."""
    names = configured_figures(config)
    for paper, figure in names:
        shrink(figures / paper / f"{figure}.png", gallery / f"{paper}_{figure}.png")
    (gallery / "README.md").write_text(page(names), encoding="utf-8")


if __name__ == "__main__":
    make(Path("figures"), Path("docs", "gallery"), Path("config.yaml"))
