"""What jobs cost, and how far a run is by that."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from tools.costs import table_lines

from project import ROOT
from replication.engine.costs import TABLE, UNKNOWN, Cost, Costs, notes, strand
from replication.engine.layout import Layout
from replication.engine.plan import Arm, Figure
from snakemake_logger_plugin_unveil.progress import Progress


class Clock:
    """A time that passes as told."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


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


def test_what_was_noted_goes_before_what_was_shipped() -> None:
    shipped = Costs({"p/f/learn/arm": Cost(10.0, 1.0), "p/f/score": Cost(3.0, 1.0)})
    known = shipped.updated(
        [("p/f/learn/arm-0000-0001", Cost(20.0, 1.0)), ("p/f/learn/arm-0002-0003", Cost(40.0, 1.0))]
    )
    assert known.of("p/f/learn/arm-0002-0003") == 40.0
    assert known.of("p/f/learn/arm-0000-0003") == 30.0  # cut otherwise: the arm's mean
    assert known.of("p/f/score") == 3.0
    assert known.of("p/g/score") == UNKNOWN


def test_a_cluster_is_asked_for_what_a_job_took_and_for_more_when_it_comes_again() -> None:
    costs = Costs({"p/f/learn/arm": Cost(60.0, 1000.0)})
    assert costs.needs("p/f/learn/arm-0000-0004") == {"mem_mb": 1536, "runtime": 20}
    assert costs.needs("p/f/learn/arm-0000-0004", attempt=3) == {"mem_mb": 4608, "runtime": 60}
    assert costs.needs("p/f/learn/other-0000-0004") == {}


@pytest.mark.parametrize(("seconds", "small"), [(11.0, True), (13.0, False)])
def test_a_small_figure_goes_to_a_cluster_as_one_job(seconds: float, small: bool) -> None:
    """Here of one owner in two chunks, a learner in three, and a referee: five jobs of some seconds, and one of two."""
    owner, learner = Arm("flips", (range(3), range(3, 5))), Arm("shares", (range(2), range(2, 4), range(4, 5)))
    referee = Arm("score", (range(3), range(3, 5)))
    figure = Figure("p", "f", ("f",), 5, {"flips": owner}, {"shares": learner}, referee)
    known = {name: Cost(seconds, 1.0) for name in ("p/f/release/flips", "p/f/learn/shares")}
    layout = Layout({("p", "f"): figure}, 1, "results", "figures", Costs({**known, "p/f/score": Cost(UNKNOWN, 1.0)}))
    assert (layout.group(SimpleNamespace(paper="p", figure="f")) == "p_f") == small
    assert layout.group(SimpleNamespace(paper="p", figure="g")) is None


def test_a_killed_job_left_no_note(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p/killed.cost.json").touch()
    (tmp_path / "p/a-0000-0001.cost.json").write_text(json.dumps({"cpu_seconds": 1.5, "peak_mib": 60.0}))
    assert list(notes(tmp_path)) == [("p/a-0000-0001", Cost(1.5, 60.0))]
    assert table_lines([("logs", tmp_path)])[1:] == ["logs,p/a,1.5,60"]


def test_the_shipped_table_knows_both_scales() -> None:
    assert TABLE == ROOT / "workflow" / "costs.csv"
    for logs in ("logs", "logs/sample"):
        assert len(Costs.shipped(logs).known) > 80
    assert Costs.shipped("elsewhere").of("p/f/score") == UNKNOWN


def test_the_time_left_goes_by_cost_and_not_by_steps() -> None:
    clock = Clock()
    run = Progress(clock)
    run.expect({0: 10.0, 1: 10.0, 2: 980.0}, cores=1)
    assert run.left == pytest.approx(1000)
    for job in (0, 1):
        run.start(job)
        clock.now += 10
        run.finish(job)
    assert run.share == pytest.approx(0.02)
    assert run.left == pytest.approx(980)


def test_a_slow_machine_is_seen_after_a_while() -> None:
    """Every second of work takes two: the forecast moves from the known costs to what is seen."""
    clock = Clock()
    run = Progress(clock)
    run.expect(dict.fromkeys(range(100), 10.0), cores=2)
    assert run.left == pytest.approx(500)
    for job in range(0, 50, 2):
        run.start(job)
        run.start(job + 1)
        clock.now += 20
        run.finish(job)
        run.finish(job + 1)
    assert 460 < run.left < 500  # at the pace that was known it would be 250


def test_no_run_ends_before_its_longest_job() -> None:
    run = Progress(Clock())
    run.expect({0: 90.0, **dict.fromkeys(range(1, 65), 1.0)}, cores=64)
    assert run.left == pytest.approx(90)


def test_nothing_expected_is_nothing_left() -> None:
    run = Progress(Clock())
    assert (run.left, run.share) == (0.0, 0.0)
    assert run.bar().endswith("   0%")
