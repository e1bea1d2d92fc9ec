"""Verdicts are a stage like any other: they follow from the scores, and run again with their code alone."""

from __future__ import annotations

import shutil
from itertools import chain
from pathlib import Path

import pytest
from tests.workflow.conftest import JUDGED

from project import Project
from replication.engine.seal import seal_of
from replication.judging.judge import COLUMNS, claims_of

pytestmark = [pytest.mark.pipeline, pytest.mark.xdist_group("report")]

#: How the pictures of each format begin.
FORMATS = {".svg": b"<?xml", ".pdf": b"%PDF", ".png": b"\x89PNG"}
TABLE, CARD = ("table_claims", "results/claims.csv"), ("draw_scorecard", "figures/scorecard.svg")


@pytest.fixture
def edited(judged: Project, tmp_path: Path) -> Project:
    """A copy to edit."""
    shutil.copytree(judged.root, tmp_path / "project", symlinks=True)
    return Project(tmp_path / "project")


def test_every_claim_of_the_papers_at_hand_has_a_row_and_a_place_on_the_card(judged: Project) -> None:
    rows = judged.rows("results/claims.csv")
    assert list(rows[0]) == COLUMNS
    expected = [(paper, claim.id) for paper in JUDGED for claim in claims_of(paper)]
    assert [(row["paper"], row["claim"]) for row in rows] == expected
    decided = {row["claim"]: row["verdict"] for row in rows if row["verdict"] != "untestable"}
    known = {"marginal-not-concave": "reproduced", "reconstruction-inconsistent": "reproduced"}
    assert known.items() <= decided.items()
    assert {row["figure"] for row in rows if row["verdict"] != "untestable"} <= {*chain(*JUDGED.values())}
    for suffix, begins in FORMATS.items():
        assert judged.file(f"figures/scorecard{suffix}").read_bytes().startswith(begins)


def test_editing_a_claim_judges_again_and_computes_nothing(edited: Project) -> None:
    """A caption says how its figure's claims fared, so a figure whose caption cites some is drawn with it."""
    edited.edit("src/replication/papers/spread/claims/__init__.py", "CLAIMS: tuple", "NEW = 1\nCLAIMS: tuple")
    planned = edited.planned("all")
    assert {TABLE, CARD} <= planned
    rules = {rule for rule, _ in planned}
    assert {rule for rule in rules if not rule.startswith("render_")} == {"table_claims", "draw_scorecard"}


def test_editing_the_card_draws_it_again_and_judges_nothing(edited: Project) -> None:
    edited.edit("src/replication/judging/scorecard.py", "SIZE = 8.5", "SIZE = 8.6")
    assert edited.planned("all") == {CARD}


def test_other_scores_turn_the_verdict(edited: Project) -> None:
    """A figure's numbers are perturbed, and nothing else: the table says so, byte for byte from the file."""
    scores = edited.file("results/spread/fig1/scores.csv")
    header, *lines = scores.read_text(encoding="utf-8").splitlines()
    columns = header.split(",")
    theta0, theta, kind = (columns.index(name) for name in ("theta0", "theta", "kind"))
    rows = [line.split(",") for line in lines]
    for row in rows:
        if row[kind] == "global":
            row[theta] = row[theta0]
    scores.write_text("\n".join([header, *map(",".join, rows)]) + "\n", encoding="utf-8")
    seal_of(scores).unlink()  # on purpose: a table that was altered by accident is refused
    edited.run("--cores", "1", "results/claims.csv")
    found = {row["claim"]: row["verdict"] for row in edited.rows("results/claims.csv")}
    assert found["reconstruction-inconsistent"] == "contradicted"
    assert found["marginal-not-concave"] == "reproduced"
