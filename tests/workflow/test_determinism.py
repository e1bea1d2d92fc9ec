"""The same seed gives the same bytes, however the work is cut, and even after a run was killed."""

from __future__ import annotations

import os
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from project import Project, toy

pytestmark = pytest.mark.pipeline


#: Learners that take a few seconds each.
SLOW = toy(both={"settings": {"rounds": 400}})


def wait_for(path: Path, pattern: str, patience: float = 60.0) -> None:
    deadline = time.monotonic() + patience
    while not list(path.glob(pattern)):
        assert time.monotonic() < deadline, f"{pattern} never appeared"
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("cores", "block"),
    [
        ("1", {}),
        *(("2", {"chunk": chunk}) for chunk in (1, 4, 6)),
        ("2", {"learn": {"shares": {"chunk": 3}}}),  # a learner may cut its trials otherwise than the owner
    ],
)
def test_cores_and_chunks_change_no_result(
    built: Project, empty_project: Project, cores: str, block: dict[str, Any]
) -> None:
    empty_project.configure(toy(both=block))
    empty_project.run("--cores", cores, "all")
    assert empty_project.results() == built.results()


def test_another_seed_gives_other_scores(built: Project, empty_project: Project) -> None:
    empty_project.configure(toy(seed=8))
    empty_project.run("--cores", "2", "figures/toy/one.svg")
    scores = "results/toy/one/scores.csv"
    assert empty_project.file(scores).read_bytes() != built.file(scores).read_bytes()


def test_a_killed_run_resumes_to_the_same_bytes(empty_project: Project) -> None:
    slow = empty_project
    slow.configure(SLOW)
    whole = Project(slow.root.parent / "whole")
    shutil.copytree(slow.root, whole.root)
    whole.run("--cores", "2", "all")
    process = slow.start("--cores", "2", "all")
    wait_for(slow.root, "results/toy/*/learned/*/*.npz")
    os.kill(process.pid, signal.SIGKILL)  # Snakemake alone: its jobs are orphans now
    process.communicate()
    time.sleep(0.5)
    before = {path: path.stat().st_mtime_ns for path in slow.root.glob("results/**/*.npz")}
    time.sleep(3)
    assert {path: path.stat().st_mtime_ns for path in slow.root.glob("results/**/*.npz")} == before, "an orphan wrote"
    slow.run("--cores", "2", "all")  # no unlocking
    assert slow.results() == whole.results()
    assert not list(slow.root.glob("results/**/.*.tmp*"))


def test_two_runs_in_one_folder_are_refused(empty_project: Project) -> None:
    empty_project.configure(SLOW)
    first = empty_project.start("--cores", "1", "all")
    wait_for(empty_project.root, "logs/toy/*/*.log")
    said = empty_project.run("--cores", "1", "all", expect=1)
    assert "another run is at work in this folder; wait for it to end or stop it" in said
    said, _ = first.communicate()
    assert first.returncode == 0, said
