"""The rules of the table of guarantees: what they make, and what makes them run again."""

from __future__ import annotations

import pytest
from tools.configuration import shipped

from project import ROOT, Project, toy
from replication.judging.guarantees.settings import PAPERS

pytestmark = pytest.mark.pipeline

SETTINGS = {**shipped(ROOT)["guarantees"], "samples": 500}
COLUMNS = "paper,mechanism,parameters,claimed_epsilon,claimed_delta,exact_epsilon,exact_delta,audited_low,n,scope"
PICTURES = [f"figures/guarantees.{suffix}" for suffix in ("svg", "pdf", "png")]


def test_all_makes_the_table_and_its_figure_and_only_changes_make_them_again(project: Project) -> None:
    assert project.planned("all") == set()
    project.configure(toy(guarantees=SETTINGS))
    project.run("--cores", "2", "all")
    table = project.file("results/guarantees.csv").read_text(encoding="utf-8")
    assert table.splitlines()[0] == COLUMNS
    rows = project.rows("results/guarantees.csv")
    assert all(float(row["audited_low"]) <= float(row["exact_epsilon"]) for row in rows)
    project.bytes_of(*PICTURES)

    project.edit("src/replication/judging/guarantees/draw.py", "= 0.01, 30_000.0", "= 0.01, 29_000.0")
    assert {rule for rule, _ in project.planned("all")} == {"draw_guarantees"}
    project.edit("src/unveil/mechanisms/flips.py", "must be a probability in", "has to be one in")  # of an error
    assert {rule for rule, _ in project.planned("all")} == {"draw_guarantees"}
    project.edit("src/unveil/mechanisms/flips.py", "    require(0 <= value < 1,", "    require(0 <= value < 1.0,")
    audits = {f"table_guarantees_{paper}" for paper in PAPERS}
    planned = {rule for rule, _ in project.planned("all")}
    assert planned >= {"table_guarantees", "draw_guarantees", "table_guarantees_spread"}
    assert planned <= {"table_guarantees", "draw_guarantees", *audits}
