"""What a run left behind, gathered: pictures with their captions, verdicts, guarantees, costs, scores to play with.

`python -m tools.gallery` gathers them under docs/gallery, where the site finds them, and writes docs/claims.md and the
README's table of costs; `make gallery` calls it after a run. Git holds a few pictures of it, and the tables.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from PIL import Image

from replication import judging
from replication.judging import words
from replication.judging.captions import split_method
from tools import playground
from tools.configuration import read_texts, shipped
from tools.costs import configured_figures, configured_pictures, cost_table, readme_table
from tools.site.collected import ACROSS, Collected, Name
from unveil.errors import require

WIDTH, COLOURS = 900, 128
FOLDER = Path("docs", "gallery")
JUDGING = Path(judging.__file__).parent
#: The pictures that git holds, as small copies with their captions.
SHOWN: list[Name] = [
    ("linear_moments", "fig3"),
    ("linear_moments", "fig7"),
    ("mean_operator", "release"),
    ("class_ratio", "fig1"),
    ("spread", "fig3"),
    ("mean_operator", "today"),
]
#: A caption, and what is folded below it.
TEXTS = (".rst", ".method.rst")
TABLES = ("claims.csv", "claims_choices.csv", "guarantees.csv")


def shrink(picture: Path, thumbnail: Path) -> None:
    """A copy at reading size with few colours: tens of kilobytes, and always the same bytes."""
    with Image.open(picture) as image:
        height = round(image.height * WIDTH / image.width)
        small = image.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS)
    # An octree keeps the colours of thin lines; by default rare colours are merged into common ones.
    small.quantize(COLOURS, method=Image.Quantize.FASTOCTREE).save(thumbnail, optimize=True)


def gather(root: Path, folders: Mapping[str, str], folder: Path) -> list[Name]:
    """All that a run left behind, in one folder made anew; the names of the figures that it drew."""
    figures, results, logs = (root / folders[name] for name in ("figures", "results", "logs"))
    everything: list[Name] = [*((name,) for name in ACROSS), *configured_pictures(root)]
    names = [name for name in everything if figures.joinpath(*name).with_suffix(".svg").is_file()]
    require(names, "there are no figures yet: run `make figures` first")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in names:
        picture, shown = figures.joinpath(*name), folder / "_".join(name)
        files = [picture.with_suffix(suffix) for suffix in (".svg", ".pdf", ".csv", ".md", *TEXTS)]
        for file in filter(Path.is_file, files):
            shutil.copyfile(file, shown.with_suffix(file.name.removeprefix(picture.name)))
        if len(name) == 1:
            template = (JUDGING / ACROSS[name[0]][0]).read_text(encoding="utf-8")
            for suffix, text in zip(TEXTS, split_method(template), strict=True):
                shown.with_suffix(suffix).write_text(text, encoding="utf-8")
        if name in SHOWN:
            shrink(picture.with_suffix(".png"), shown.with_suffix(".png"))
    for table in filter(Path.is_file, map(results.joinpath, TABLES)):
        shutil.copyfile(table, folder / table.name)
    cost_table(configured_figures(root), logs).to_csv(folder / "costs.csv", index=False)
    playground.write(results, folder / "playground.json")
    (folder / "run.json").write_text(json.dumps(describe_run(root, figures / "scorecard.svg")) + "\n")
    return names


def describe_run(root: Path, last: Path) -> dict[str, str]:
    """The day of a run, when its last picture was drawn, and the commit of the project."""
    asking = ["git", "-C", str(root), "rev-parse", "--short=10", "HEAD"]
    asked = subprocess.run(asking, capture_output=True, text=True, check=False)  # noqa: S603 - our own folder
    day = datetime.fromtimestamp(last.stat().st_mtime, UTC).date().isoformat() if last.is_file() else "no whole run"
    return {"date": day, "commit": asked.stdout.strip() or "unknown"}


def put(page: str, name: str, text: str) -> str:
    """A page with this text between the marks of that name."""
    begin, end = f"<!-- {name}: made by `make gallery` -->", f"<!-- end of {name} -->"
    return re.sub(f"{begin}.*?{end}", lambda _: f"{begin}\n{text}\n{end}", page, flags=re.DOTALL)


def stand(rows: Sequence[words.Row], titles: Mapping[str, str]) -> Iterator[str]:
    """How the headline claims of each paper stand, in Markdown."""
    for paper, title in titles.items():
        if own := [row for row in rows if row["paper"] == paper and row["origin"] == "paper"]:
            yield f"- **{words.capitalise(title)}**: {words.summarise(own)}"


def make(root: Path) -> None:
    """All pictures that were made, the README's table, and the verdicts in words."""
    gather(root, shipped(root)["folders"], root / FOLDER)
    run = Collected(root / FOLDER)
    readme = root / "README.md"
    titles = {paper: text["short"] for paper, text in read_texts().items()}
    text = readme.read_text(encoding="utf-8")
    text = put(text, "figures", readme_table(configured_figures(root), run.costs))
    text = put(text, "claims", "\n".join(stand(run.rows, titles)))
    readme.write_text(text, encoding="utf-8")
    if len(claims := run.claims):
        page = words.page(claims, titles, lambda row: f"../src/replication/papers/{row['paper']}/{row['figure']}")
        (root / "docs" / "claims.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    make(Path())
