"""What the site is made from, before Sphinx sees it: pages of papers and of the library, and what is behind a name."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pandas as pd
import pytest
from tools import playground, targets
from tools.costs import configured_figures
from tools.site import library, papers
from tools.site.build import lay_out, more
from tools.site.collected import Collected
from tools.site.markup import plain, table
from tools.site.uses import closure, imports, uses

import unveil
from project import ROOT
from replication.judging.judge import COLUMNS

pytestmark = pytest.mark.filterwarnings("ignore:The 'float_precision' argument")
WORDS = "spread,a-claim,paper,all,Noise |costs* nothing.,section 6,fig3,contradicted,accuracy,points"
ROW = [*WORDS.split(","), 0.9, 0.5, 0.4, 0.6, 0.1, 3, 10, "full", None, "p = 0.1", "It.", 5.0, 4.0, 6.0, "why"]


@pytest.fixture
def collected(tmp_path: Path) -> Collected:
    """One picture with its caption, one verdict, one guarantee and one cost."""
    tmp_path = tmp_path / "collected"
    tmp_path.mkdir()
    (tmp_path / "spread_fig3.png").touch()
    (tmp_path / "spread_fig3.rst").write_text("What :math:`p` does.\n", encoding="utf-8")
    pd.DataFrame([ROW], columns=COLUMNS).to_csv(tmp_path / "claims.csv", index=False)
    guarantee = ["spread", "label_flips", "flip = 0.2", 1.5, 0.0, 1.3863, 0.0, 1.38, 1000, "supremum"]
    names = "paper,mechanism,parameters,claimed_epsilon,claimed_delta,exact_epsilon,exact_delta,audited_low,n,scope"
    pd.DataFrame([guarantee], columns=names.split(",")).to_csv(tmp_path / "guarantees.csv", index=False)
    (tmp_path / "costs.csv").write_text("paper,figure,cpu_minutes,peak_gib\nspread,fig3,2.8,0.3\n", encoding="utf-8")
    return Collected(tmp_path)


def test_a_figure_shows_picture_caption_verdicts_cost_and_code(collected: Collected) -> None:
    page = papers.paper_page(collected, ROOT, "spread", ["fig3", "fig1"])
    assert ".. figure:: /gallery/spread_fig3.png" in page
    assert "What :math:`p` does." in page
    assert ":bdg-danger:`1 contradicted`" in page
    assert r"Noise \|costs\* nothing. (section 6)" in page
    assert "- 0.9\n" in page
    assert "accuracy: 0.50 (0.40 to 0.60) points" in page
    assert "``snakemake --cores 4 figures/spread/fig3.pdf``, 2.8 CPU minutes and 0.3 GiB" in page
    assert "literalinclude:: /../src/replication/papers/spread/fig3/learn.py" in page
    assert "This run did not draw it." in page.partition("figure-spread-fig1")[2]


def test_a_claim_without_a_figure_is_not_lost(collected: Collected) -> None:
    page = papers.paper_page(collected, ROOT, "spread", ["fig1"])
    assert "Claims without a figure" in page
    assert ":bdg-danger:`contradicted`" in page


def test_every_level_of_the_guarantees_is_told(collected: Collected) -> None:
    page = papers.guarantees_page(collected)
    for cell in ("label flips", "1.50", "1.39", "1.38", "supremum"):
        assert f"- {cell}\n" in page


def test_every_paper_that_is_configured_has_its_words() -> None:
    assert set(papers.texts()) == {paper for paper, _ in configured_figures(ROOT)}


@pytest.mark.parametrize(
    ("name", "words"),
    [("fig3", "Figure 3"), ("figA4", "Figure A4"), ("fig7_steps", "Figure 7: steps"), ("set_sizes", "Set sizes")],
)
def test_names_of_figures_in_words(name: str, words: str) -> None:
    assert papers.title(name) == words


def test_every_public_name_has_a_page_in_one_room(collected: Collected) -> None:
    pages = dict(library.pages(collected, {}))
    assert {f"library/{name}.rst" for name in unveil._HOME} | {"library/index.rst"} == pages.keys()
    index = pages["library/index.rst"]
    for name in unveil._HOME:
        assert index.count(f"- :doc:`{name} <{name}>`") == 1
        assert library.first_line(name)


def test_what_is_behind_a_name_is_linked(collected: Collected) -> None:
    page = library.page(collected, "LabelFlips", [("spread", "fig3"), ("spread", "guarantees")])
    assert ":ref:`figure 3 <figure-spread-fig3>`" in page
    assert ":bdg-danger:`1 contradicted`" in page
    assert ":ref:`What it really gives away <guarantees-spread>`" in page


def test_uses_are_found_through_modules_that_figures_share() -> None:
    found = uses(ROOT, configured_figures(ROOT))
    assert ("linear_moments", "fig6") in found["MomentRegression"]
    assert ("class_ratio", "fig2") in found["MMDClassRatio"]
    assert ("class_ratio", "guarantees") in found["ScaledDirichlet"]
    assert ("spread", "fig3") not in found["ScaledDirichlet"]


def test_imports_are_followed_within_the_papers_only() -> None:
    known = {
        "replication.papers.p.f.learn": imports(ast.parse("from replication.papers.p.shared import veil")),
        "replication.papers.p.shared": imports(ast.parse("from unveil.mechanisms.flips import LabelFlips")),
        "replication.papers.p.other": imports(ast.parse("from unveil.mechanisms.flips import PixelFlips")),
    }
    reached = closure("replication.papers.p.f.learn", known)
    assert "unveil.mechanisms.flips.LabelFlips" in reached
    assert "unveil.mechanisms.flips.PixelFlips" not in reached


def test_sources_and_made_pages_lie_side_by_side(collected: Collected, tmp_path: Path) -> None:
    docs = lay_out(ROOT, collected.folder, tmp_path / "stage")
    assert (docs / "papers/spread.rst").is_file()
    assert "(configuration.md)" in (docs / "adding.md").read_text(encoding="utf-8")
    assert (docs.parent / "src").resolve() == ROOT / "src"
    assert "contradicted" in (docs / "claims.md").read_text(encoding="utf-8")
    assert not (ROOT / "docs/papers").exists()


def test_no_page_is_left_out() -> None:
    listed = more(ROOT).split()
    pages = {file.stem for file in (ROOT / "docs").glob("*.md")} - {"index", "claims", "playground"}
    assert pages | {"configuration", "changelog"} <= set(listed)


def test_cells_cannot_break_a_table() -> None:
    assert plain("a | b*\n c_") == r"a \| b\* c\_"
    assert table(["x", "y"], [["1", "2"]]).count("   * - ") == 2


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
    assert len(said) == len(configured_figures(ROOT)) + len(targets.ACROSS)
    for (paper, figure), line in zip(configured_figures(ROOT), said, strict=False):
        assert line.startswith(f"figures/{paper}/{figure}.pdf ")
        assert len(line) <= 160
        assert line.split("  ")[-1].strip()


def test_the_first_sentence_of_a_caption_has_no_markup() -> None:
    assert (
        targets.shows("The share\n:math:`p` of {setting[x]} ``n`` at 0.5 nats. More.")
        == "The share p of … n at 0.5 nats"
    )
