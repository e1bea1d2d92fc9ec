"""What jobs cost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tools.costs import strand_table

from project import ROOT
from replication.engine.costs import TABLE, UNKNOWN, Cost, Costs, notes, strand


@pytest.mark.parametrize(
    ("name", "whole"),
    [
        ("p/f/learn/arm-0000-0004", "p/f/learn/arm"),
        ("p/f/learn/two-parts-0010-0019", "p/f/learn/two-parts"),
        ("multiverse/p/f/0000-0001", "multiverse/p/f"),
        ("p/f/score", "p/f/score"),
        ("data/prepare-mnist", "data/prepare-mnist"),
    ],
)
def test_a_job_belongs_to_its_arm(name: str, whole: str) -> None:
    assert strand(name) == whole


def test_an_unknown_job_costs_little_and_a_chunk_what_its_arm_does() -> None:
    costs = Costs({"p/f/learn/arm": Cost(30.0, 1.0)})
    assert costs.of("p/f/learn/arm-0002-0003") == 30.0
    assert costs.of("p/g/score") == UNKNOWN


def test_a_cluster_is_asked_for_what_a_job_took_and_for_more_when_it_comes_again() -> None:
    costs = Costs({"p/f/learn/arm": Cost(60.0, 1000.0)})
    arm, other = "p/f/learn/arm", "p/f/learn/other"
    assert (costs.memory(arm), costs.minutes(arm)) == (1536, 20)
    assert (costs.memory(arm, attempt=3), costs.minutes(arm, attempt=3)) == (4608, 60)
    assert (costs.memory(other), costs.minutes(other, attempt=2)) == (4096, 480)


def test_a_killed_job_left_no_note(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p/killed.cost.json").touch()
    (tmp_path / "p/a-0000-0001.cost.json").write_text(json.dumps({"cpu_seconds": 1.5, "peak_mib": 60.0}))
    assert list(notes(tmp_path)) == [("p/a-0000-0001", Cost(1.5, 60.0))]
    assert strand_table("logs", tmp_path).to_numpy().tolist() == [["logs", "p/a", 1.5, 60.0]]


def test_the_shipped_table_knows_both_scales() -> None:
    assert TABLE == ROOT / "workflow" / "costs.csv"
    for logs in ("logs", "logs/sample"):
        assert len(Costs.shipped(logs).known) > 80
    assert Costs.shipped("elsewhere").of("p/f/score") == UNKNOWN
