"""How long a run would take on how many cores."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tools.schedule import OVERHEAD, longest_chain, makespan, report, tails

from replication.engine.costs import Costs, Step, save_plan

#: A fork whose branches meet again, and a job apart; numbered against their order.
STEPS = {
    9: Step("a", 1.0, ()),
    4: Step("b", 5.0, (9,)),
    7: Step("c", 2.0, (9,)),
    1: Step("d", 1.0, (4, 7)),
    2: Step("apart", 4.0, ()),
}


def test_a_chain_is_as_long_as_its_longest_branch() -> None:
    assert [step.name for step in longest_chain(STEPS)] == ["a", "b", "d"]
    assert tails(STEPS)[9] == pytest.approx(7 + 3 * OVERHEAD)


@pytest.mark.parametrize(("cores", "seconds", "jobs"), [(1, 13.0, 5), (2, 7.0, 3), (3, 7.0, 3), (64, 7.0, 3)])
def test_cores_shorten_a_run_down_to_its_longest_chain(cores: int, seconds: float, jobs: int) -> None:
    """On two cores: a beside apart, then b; c follows apart; d."""
    assert makespan(STEPS, cores) == pytest.approx(seconds + jobs * OVERHEAD)


def test_what_was_noted_is_what_counts(tmp_path: Path) -> None:
    (tmp_path / "b.cost.json").write_text(json.dumps({"cpu_seconds": 50.0, "peak_mib": 1.0}), encoding="utf-8")
    save_plan(tmp_path / "plan.json", STEPS, str(tmp_path), 2)
    lines = list(report(tmp_path / "plan.json"))
    assert lines[0] == "5 jobs, 58 CPU s; foreseen: 13"
    assert f"longest chain: {52 + 3 * OVERHEAD:.0f} s" in lines


def test_nothing_to_do_takes_no_time() -> None:
    assert makespan({}, 2) == 0.0
    assert longest_chain({}) == []
    assert Costs().known == {}
