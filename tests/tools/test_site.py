"""What the site is made from, before Sphinx sees it: pages of papers and of the library, and what is behind a name."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest
import yaml
from tools import playground, targets
from tools.configuration import TEMPLATES, read_texts
from tools.costs import configured_figures
from tools.site import pages
from tools.site.build import ELSEWHERE, lay_out
from tools.site.uses import find_uses

import unveil
from project import ROOT
from replication.judging.judge import COLUMNS

pytestmark = pytest.mark.filterwarnings("ignore:The 'float_precision' argument")
CLAIM = {
    "paper": "spread", "claim": "a-claim", "origin": "paper", "quantifier": "all", "figure": "fig3",
    "statement": "Noise |costs* nothing.", "place": "section 6", "verdict": "contradicted", "quantity": "accuracy",
    "unit": "points", "printed": 0.9, "ours": 0.5, "low": 0.4, "high": 0.6, "threshold": 0.1, "settings": 3,
    "trials": 10, "grade": "full", "shown": "p = 0.1", "why": "why", "note": "It.", "short": "noise is <free>",
    "margin": -2.0, "headline": True, "hangs_on": "rate",
}  # fmt: skip
GUARANTEE = {
    "paper": "spread", "mechanism": "label_flips", "parameters": "flip = 0.2", "claimed_epsilon": 1.5,
    "claimed_delta": 0.0, "exact_epsilon": 1.3863, "exact_delta": 0.0, "audited_low": 1.38, "scope": "supremum",
}  # fmt: skip
CHOICE = {
    "paper": "spread", "claim": "a-claim", "choice": "rate", "says": "silent", "took": "0.1", "alternatives": "0.3; 1",
    "judged": 2, "turns": True,
}  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site's sources after a run with one picture and its caption, two verdicts, one guarantee and one cost."""
    folder = tmp_path_factory.mktemp("collected")
    (folder / "spread_fig3.png").touch()
    (folder / "spread_fig3.rst").write_text("What :math:`p` does.\n", encoding="utf-8")
    (folder / "spread_fig3.method.rst").write_text("How it\nwas done.\n", encoding="utf-8")
    for name in ("fig1", "fig3_lead"):
        (folder / f"spread_{name}.png").touch()
        (folder / f"spread_{name}.md").write_text(
            "| who | what |\n| --- | --- |\n| one | a \\| b |\n", encoding="utf-8"
        )
    claims = [CLAIM, CLAIM | {"claim": "b", "figure": "nowhere", "statement": "All is lost.", "verdict": "undecided"}]
    pd.DataFrame(claims, columns=list(dict.fromkeys([*COLUMNS, *CLAIM]))).to_csv(folder / "claims.csv", index=False)
    pd.DataFrame([GUARANTEE]).to_csv(folder / "guarantees.csv", index=False)
    pd.DataFrame([CHOICE]).to_csv(folder / "claims_choices.csv", index=False)
    (folder / "costs.csv").write_text("paper,figure,cpu_minutes,peak_gib\nspread,fig3,2.8,0.3\n", encoding="utf-8")
    (folder / "run.json").write_text('{"date": "2020-02-02", "commit": "abc"}', encoding="utf-8")
    return lay_out(ROOT, folder, tmp_path_factory.mktemp("stage") / "site")


def read(made: Path, name: str) -> str:
    return (made / name).read_text(encoding="utf-8")


def test_a_figure_has_its_finding_in_bold_its_count_and_a_folded_method(made: Path) -> None:
    page = read(made, "papers/spread.rst").partition(".. _figure-spread-fig3:")[2].partition(".. _figure")[0]
    assert ".. figure:: /gallery/spread_fig3.png" in page
    assert ":alt: Fails: Noise is <free>. What p does." in page
    assert "**Fails: Noise is <free>.** What :math:`p` does. Claims: 0 of 1 hold, 1 hangs on choices" in page
    assert ".. dropdown:: Method\n\n   How it\n   was done." in page


@pytest.mark.parametrize(("name", "drawn"), [("fig1", True), ("fig3_lead", False)])
def test_a_figure_that_is_a_table_is_shown_as_one_and_others_fold_their_numbers(
    made: Path, name: str, drawn: bool
) -> None:
    page = read(made, "papers/spread.rst").partition(f".. _figure-spread-{name}:")[2].partition(".. _figure")[0]
    assert "<td>one</td><td>a | b</td>" in page
    assert (".. figure::" in page) == (".. dropdown:: Numbers" in page) == drawn


def test_a_claim_has_a_row_with_an_anchor_and_headlines_link_to_it(made: Path) -> None:
    page = read(made, "papers/spread.rst")
    assert page.count('id="claim-a-claim"') == 1
    assert '<a href="../papers/spread.html#claim-a-claim">Noise is &lt;free&gt;</a>' in page
    assert "Noise |costs* nothing. <small>section 6</small>" in page
    assert "Accuracy: 0.50 points (0.40 to 0.60) (0.9 printed; 0.7 to 1.1 would agree)" in page
    assert "<b>hangs on rate</b>" in page
    assert "All is lost." in page
    assert "<td>silent</td><td>0.1</td><td>0.3; 1</td><td>yes: a-claim</td>" in page
    assert "<td>fig3</td><td>2.8</td><td>0.3</td>" in page


def test_what_a_run_lacks_is_said(made: Path) -> None:
    page = read(made, "papers/spread.rst")
    assert re.search(r"copy of the project:\* .*Figure 2, .*``make gallery`` \*makes all", page)
    assert "pictures:* ``make gallery`` *makes all of them" in read(made, "index.rst")
    assert "run of 2020-02-02, commit abc" in read(made, "origin.txt")


def test_the_code_of_a_paper_stands_on_a_page_of_its_own(made: Path) -> None:
    assert "literalinclude:: /../src/replication/papers/spread/fig3/learn.py" in read(made, "papers/spread_code.rst")


def test_every_level_of_the_guarantees_is_told(made: Path) -> None:
    page = read(made, "guarantees.rst")
    for cell in ("label flips", "1.50", "1.39", "1.38", "supremum"):
        assert f"<td>{cell}</td>" in page


def test_every_paper_that_is_configured_has_its_words() -> None:
    lacking = {paper for paper, _ in configured_figures(ROOT)} ^ set(read_texts())
    assert not lacking, f"tools/templates/texts.yaml must say of each paper what it asks and what was done: {lacking}"


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
    assert "claims about them: 1 fails" in page
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


def test_every_page_stands_in_one_group(made: Path) -> None:
    groups = yaml.safe_load((TEMPLATES / "groups.yaml").read_text(encoding="utf-8"))
    listed = [page for group in groups.values() for page in group["pages"]]
    assert len(listed) == len(set(listed))
    known = {file.stem for file in (ROOT / "docs").glob("*.md")} | {Path(name).stem for name in ELSEWHERE.values()}
    assert known | {f"papers/{paper}" for paper in read_texts()} <= set(listed)


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


def test_every_target_is_listed_with_its_finding(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "FOLDER", made / "gallery")
    folders = {"figures": "figures", "results": "nowhere", "logs": "nowhere"}
    monkeypatch.setattr(targets, "shipped", lambda _: {"folders": folders})
    said = list(targets.lines(ROOT))
    for paper, figure in configured_figures(ROOT):
        (place,) = (i for i, line in enumerate(said) if line.split("  ")[0] == f"figures/{paper}/{figure}.pdf")
        if (paper, figure) == ("spread", "fig3"):
            assert said[place].endswith("2.8 CPU min, 0.3 GiB")
            assert said[place + 1] == "    ■ Fails: Noise is <free>."
    assert not [line for line in said if line.endswith("…")]
