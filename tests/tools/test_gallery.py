"""The gallery: made from a run, the same bytes every time."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from PIL import Image
from tools import gallery
from tools.site.collected import Collected

from project import ROOT
from replication.judging.judge import COLUMNS
from replication.palette import COLOURS

pytestmark = pytest.mark.filterwarnings("ignore:The 'float_precision' argument")
FIGURES = {"spread": ["fig3", "privacy"], "linear_moments": ["fig5"]}
MARKED = "\n<!-- {0}: made by `make gallery` -->\nstale\n<!-- end of {0} -->\n"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A finished run of three figures with a scorecard, one claim and one job's cost."""
    papers = {paper: {"figures": dict.fromkeys(names)} for paper, names in FIGURES.items()}
    folders = {name: name for name in ("figures", "results", "logs")}
    (tmp_path / "config.yaml").write_text(
        yaml.safe_dump({"include": [], "papers": papers, "folders": folders}, sort_keys=False), encoding="utf-8"
    )
    rng = np.random.default_rng(1)
    pictures = ["scorecard.png", *(f"{paper}/{name}.png" for paper in FIGURES for name in FIGURES[paper])]
    for picture in pictures:
        path = tmp_path / "figures" / picture
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(rng.integers(0, 255, (60, 1200, 3), dtype=np.uint8)).save(path)
        for suffix in (".svg", ".pdf"):
            path.with_suffix(suffix).write_text(picture, encoding="utf-8")
        if path.parent.name in FIGURES:
            words = f"What {path.parent.name} {path.stem} shows, ``p``.\n"
            path.with_suffix(".rst").write_text(words, encoding="utf-8")
    readme = "# Words\n\n" + "".join(MARKED.format(name) for name in ("figures", "claims")) + "\nMore words.\n"
    (tmp_path / "README.md").write_text(readme, encoding="utf-8")
    (tmp_path / "results").mkdir()
    words = "spread,a-claim,paper,all,It holds.,section | 1,fig3,reproduced,accuracy,points"
    row = [*words.split(","), None, 0.5, 0.4, 0.6, 0.1, 3, 10, "full", None, "here", "It holds.", 5.0, 4.0, 6.0, "why"]
    row += [True, None, 0]
    pd.DataFrame([row], columns=COLUMNS).to_csv(tmp_path / "results/claims.csv", index=False)
    note = tmp_path / "logs/spread/fig3/score.cost.json"
    note.parent.mkdir(parents=True)
    note.write_text(json.dumps({"cpu_seconds": 90.0, "peak_mib": 512.0}), encoding="utf-8")
    return tmp_path


def test_every_figure_is_gathered_and_those_that_git_holds_have_a_small_copy(run: Path) -> None:
    gallery.make(run)
    made = run / "docs/gallery"
    for paper, names in FIGURES.items():
        for name in names:
            assert (made / f"{paper}_{name}.svg").read_text() == f"{paper}/{name}.png"
            assert (made / f"{paper}_{name}.png").is_file() == ((paper, name) in gallery.SHOWN)
    with Image.open(made / "spread_fig3.png") as picture:
        assert picture.size == (gallery.WIDTH, 45)
    assert json.loads((made / "run.json").read_text())["commit"]


def test_git_holds_these_pictures_and_no_others() -> None:
    asked = ["git", "-C", str(ROOT), "ls-files", "docs/gallery"]
    held = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()
    small = {f"docs/gallery/{'_'.join(name)}{suffix}" for name in gallery.SHOWN for suffix in (".png", *gallery.TEXTS)}
    assert {name for name in held if not name.endswith((".csv", ".json"))} <= small


def test_the_readme_has_a_row_a_paper(run: Path) -> None:
    gallery.make(run)
    readme = (run / "README.md").read_text(encoding="utf-8")
    assert readme.startswith("# Words")
    assert readme.endswith("More words.\n")
    assert "stale" not in readme
    assert "| spread | fig3 (1.5), privacy | 2 |" in readme
    assert "| linear_moments | fig5 | 0 |" in readme
    assert "- **Spread likelihood**: of 1 headline claims 1 holds.\n" in readme


def test_what_is_gathered_is_found(run: Path) -> None:
    folders = {name: name for name in ("figures", "results", "logs")}
    assert gallery.gather(run, folders, run / "own")[0] == ("scorecard",)
    found = Collected(run / "own")
    assert found.picture(("spread", "fig3")) == run / "own/spread_fig3.svg"
    assert found.files(("spread", "fig3")) == [run / "own/spread_fig3.pdf"]
    assert found.caption(("spread", "fig3")) == "**It holds.** What spread fig3 shows, ``p``. Claims: 1 of 1 hold."
    assert list(found.claims["claim"]) == ["a-claim"]
    assert found.costs == {("spread", "fig3"): (1.5, 0.5)}


def test_verdicts_by_another_rule_are_none(tmp_path: Path) -> None:
    (tmp_path / "claims.csv").write_text("paper,claim,held\nspread,a-claim,yes\n", encoding="utf-8")
    assert Collected(tmp_path).claims.empty


def test_the_claims_go_along_in_words(run: Path) -> None:
    gallery.make(run)
    page = (run / "docs/claims.md").read_text(encoding="utf-8")
    assert "| spread likelihood | 1 | 0 | 0 | 0 | 0 |" in page
    assert "| ● holds | [**It holds**](../src/replication/papers/spread/fig3) | 0.50 points (0.40 to 0.60) |" in page
    assert (run / "docs/gallery/claims.csv").read_bytes() == (run / "results/claims.csv").read_bytes()


def test_a_line_of_the_page_has_at_most_25_words() -> None:
    lines = [line for line in (ROOT / "docs/claims.md").read_text(encoding="utf-8").splitlines() if "](../src" in line]
    assert lines
    said = (re.sub(r"\]\([^)]*\)|[|●■◐○–]", " ", line).split() for line in lines)
    assert [words for words in said if len(words) > 25] == []


def test_a_second_time_changes_nothing(run: Path) -> None:
    gallery.make(run)
    made = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    gallery.make(run)
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == made


def test_a_thin_line_keeps_its_colour(tmp_path: Path) -> None:
    green = np.array(style_colour(2))
    pixels = np.full((900, gallery.WIDTH, 3), 255, dtype=np.uint8)
    # Large areas in all shades of the other colours, as bands and anti-aliasing make them.
    for i, other in enumerate((0, 1, 3, 4, 5)):
        shades = np.linspace(0, 1, 600)[:, None]
        pixels[100 * i : 100 * i + 90, :600] = 255 + shades * (np.array(style_colour(other)) - 255)
    pixels[700, 650:700] = green
    Image.fromarray(pixels).save(tmp_path / "large.png")
    gallery.shrink(tmp_path / "large.png", tmp_path / "small.png")
    with Image.open(tmp_path / "small.png") as picture:
        line = np.asarray(picture.convert("RGB"))[700, 670].astype(int)
    assert np.abs(line - green).max() < 32


def style_colour(index: int) -> tuple[int, ...]:
    """A colour of the project as three bytes."""
    return tuple(bytes.fromhex(COLOURS[index].removeprefix("#")))
