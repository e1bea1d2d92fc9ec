"""What the site is made from, before Sphinx sees it: pages of papers and of the library, and what is behind a name."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from tools import playground, targets
from tools.configuration import read_texts
from tools.costs import configured_figures, configured_pictures
from tools.site import pages
from tools.site.build import ELSEWHERE, lay_out
from tools.site.collected import ACROSS
from tools.site.uses import find_uses

import unveil
from project import ROOT
from replication.judging.judge import COLUMNS

pytestmark = pytest.mark.filterwarnings("ignore:The 'float_precision' argument")
CLAIM = {
    "paper": "spread", "claim": "a-claim", "origin": "paper", "quantifier": "all", "figure": "fig3",
    "statement": "Noise |costs* nothing.", "place": "section 6", "verdict": "contradicted", "quantity": "accuracy",
    "unit": "points", "printed": 0.9, "ours": 0.5, "low": 0.4, "high": 0.6, "threshold": 0.1, "settings": 3,
    "trials": 10, "grade": "full", "shown": "p = 0.1", "why": "why", "note": "It.",
}  # fmt: skip
GUARANTEE = {
    "paper": "spread", "mechanism": "label_flips", "parameters": "flip = 0.2", "claimed_epsilon": 1.5,
    "claimed_delta": 0.0, "exact_epsilon": 1.3863, "exact_delta": 0.0, "audited_low": 1.38, "scope": "supremum",
}  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site's sources after a run with one picture and its caption, two verdicts, one guarantee and one cost."""
    folder = tmp_path_factory.mktemp("collected")
    (folder / "spread_fig3.png").touch()
    (folder / "spread_fig3.rst").write_text("What :math:`p` does.\n", encoding="utf-8")
    claims = [CLAIM, CLAIM | {"figure": "nowhere", "statement": "All is lost.", "verdict": "undecided"}]
    pd.DataFrame(claims, columns=COLUMNS).to_csv(folder / "claims.csv", index=False)
    pd.DataFrame([GUARANTEE]).to_csv(folder / "guarantees.csv", index=False)
    (folder / "costs.csv").write_text("paper,figure,cpu_minutes,peak_gib\nspread,fig3,2.8,0.3\n", encoding="utf-8")
    return lay_out(ROOT, folder, tmp_path_factory.mktemp("stage") / "site")


def read(made: Path, name: str) -> str:
    return (made / name).read_text(encoding="utf-8")


def test_a_figure_shows_picture_caption_verdicts_cost_and_code(made: Path) -> None:
    page = read(made, "papers/spread.rst").partition("figure-spread-fig3")[2].partition(".. _figure")[0]
    assert ".. figure:: /gallery/spread_fig3.png" in page
    assert "What :math:`p` does." in page
    assert ":bdg-danger:`contradicted`" in page
    assert r"Noise \|costs\* nothing. (section 6)" in page
    assert "- 0.9\n" in page
    assert "accuracy: 0.50 (0.40 to 0.60) points" in page
    assert "``snakemake --cores 4 figures/spread/fig3.pdf``, 2.8 CPU minutes and 0.3 GiB at most." in page
    assert "literalinclude:: /../src/replication/papers/spread/fig3/learn.py" in page


def test_what_a_run_lacks_is_said_and_what_has_no_figure_is_not_lost(made: Path) -> None:
    page = read(made, "papers/spread.rst")
    assert ":bdg-danger:`1 contradicted` :bdg-secondary:`1 undecided`" in page
    assert "This run did not draw it." in page.partition("figure-spread-fig1")[2]
    assert "All is lost." in page.partition("Claims without a figure")[2]
    assert "contradicted" in read(made, "claims.md")


def test_every_level_of_the_guarantees_is_told(made: Path) -> None:
    page = read(made, "guarantees.rst")
    for cell in ("label flips", "1.50", "1.39", "1.38", "supremum"):
        assert f"- {cell}\n" in page


def test_every_paper_that_is_configured_has_its_words() -> None:
    assert set(read_texts()) == {paper for paper, _ in configured_figures(ROOT)}


@pytest.mark.parametrize(
    ("name", "words"),
    [("fig3", "Figure 3"), ("figA4", "Figure A4"), ("fig7_steps", "Figure 7: steps"), ("set_sizes", "Set sizes")],
)
def test_names_of_figures_in_words(name: str, words: str) -> None:
    assert pages.title(name) == words


def test_every_public_name_has_a_page_in_one_room_and_what_is_behind_it(made: Path) -> None:
    assert {file.stem for file in (made / "library").iterdir()} == {*unveil._HOME, "index"}
    index = read(made, "library/index.rst")
    assert all(index.count(f"- :doc:`{name} <{name}>`: ") == 1 for name in unveil._HOME)
    page = read(made, "library/LabelFlips.rst")
    assert ":ref:`figure 3 <figure-spread-fig3>`" in page
    assert ":bdg-danger:`1 contradicted`" in page
    assert ":ref:`What it really gives away <guarantees-spread>`" in page


def test_uses_are_found_through_modules_that_figures_share() -> None:
    found = find_uses(configured_figures(ROOT))
    assert "fig6" in found["MomentRegression"]["linear_moments"]
    assert "fig2" in found["MMDClassRatio"]["class_ratio"]
    assert "guarantees" in found["ScaledDirichlet"]["class_ratio"]
    assert "spread" not in found["ScaledDirichlet"]


def test_sources_and_made_pages_lie_side_by_side(made: Path) -> None:
    assert "(configuration.md)" in read(made, "adding.md")
    assert (made.parent / "src").resolve() == ROOT / "src"
    assert not (ROOT / "docs/papers").exists()


def test_no_page_is_left_out(made: Path) -> None:
    listed = read(made, "more.rst").split()
    known = {file.stem for file in (ROOT / "docs").glob("*.md")} - {"index", "claims", "playground"}
    assert known | {Path(name).stem for name in ELSEWHERE.values()} <= set(listed)


def scores(trials: int = 4) -> pd.DataFrame:
    """Two estimators with known means at one point."""
    means = {"naive": 0.4, "marginal": 0.2, "clean": 0.1}
    rows = [
        ("census", "classify", name, epsilon, 500, 0.1, trial, mean + (-1) ** trial * 0.01)
        for name, mean in means.items()
        for epsilon in (1.0, float("inf"))
        for trial in range(trials)
    ]
    return pd.DataFrame(rows, columns=["dataset", "task", "estimator", "epsilon", "n", "l2", "trial", "error"])


def test_the_playground_has_means_with_intervals_and_no_ceilings(tmp_path: Path) -> None:
    file = tmp_path / "crossover/epsilon/scores.csv"
    file.parent.mkdir(parents=True)
    scores().to_csv(file, index=False)
    playground.write(tmp_path, tmp_path / "playground.json")
    found = json.loads((tmp_path / "playground.json").read_text(encoding="utf-8"))
    (task,) = (task for task in found["tasks"] if task["rows"])
    assert [row[:4] for row in task["rows"]] == [
        ["census", epsilon, 500, name]
        for epsilon in (1.0, "none")
        for name in ("marginal likelihood", "naive: reports as truth")
    ]
    *_, mean, low, high = task["rows"][0]
    assert mean == pytest.approx(0.2)
    # Student's t with 3 degrees of freedom, 3.18, over √4 trials of standard deviation .01·√(4/3).
    assert (low, high) == pytest.approx((0.2 - 0.0184, 0.2 + 0.0184), abs=1e-4)


def test_every_target_is_listed_with_what_it_shows() -> None:
    said = list(targets.lines(ROOT, 160))
    assert len(said) == len(configured_pictures(ROOT)) + len(ACROSS)
    for (paper, figure), line in zip(configured_pictures(ROOT), said, strict=False):
        assert line.startswith(f"figures/{paper}/{figure}.pdf ")
        assert len(line) <= 160
        assert line.split("  ")[-1].strip()


def test_the_first_sentence_of_a_caption_has_no_markup() -> None:
    assert (
        targets.shows("The share\n:math:`p` of {setting[x]} ``n`` at 0.5 nats. More.")
        == "The share p of … n at 0.5 nats"
    )
