"""The same seed gives the same bytes, however the work is cut, and even after a run was killed."""

from __future__ import annotations

import copy
import os
import shutil
import signal
import time
from pathlib import Path

import pytest

from project import TOY, Project

pytestmark = pytest.mark.pipeline


def slow_house(project: Project, rounds: int = 400) -> Project:
    """The toy with learners that take a few seconds each."""
    config = copy.deepcopy(dict(TOY))
    for figure in config["papers"]["toy"]["figures"].values():
        figure["settings"]["rounds"] = rounds
    project.configure(config)
    return project


def wait_for(path: Path, pattern: str, patience: float = 60.0) -> None:
    deadline = time.monotonic() + patience
    while not list(path.glob(pattern)):
        assert time.monotonic() < deadline, f"{pattern} never appeared"
        time.sleep(0.05)


def test_one_core_and_two_give_the_same_bytes(built: Project, empty_project: Project) -> None:
    empty_project.run("--cores", "1", "all")
    assert empty_project.results() == built.results()


@pytest.mark.parametrize("chunk", [1, 4, 6])
def test_chunks_change_no_result(built: Project, empty_project: Project, chunk: int) -> None:
    config = copy.deepcopy(dict(TOY))
    for figure in config["papers"]["toy"]["figures"].values():
        figure["chunk"] = chunk
    empty_project.configure(config)
    empty_project.run("--cores", "2", "all")
    assert empty_project.results() == built.results()


def test_a_learner_may_cut_its_trials_otherwise_than_the_owner(built: Project, empty_project: Project) -> None:
    config = copy.deepcopy(dict(TOY))
    for figure in config["papers"]["toy"]["figures"].values():
        figure["learn"]["shares"]["chunk"] = 3
    empty_project.configure(config)
    empty_project.run("--cores", "2", "all")
    assert empty_project.results() == built.results()


def test_another_seed_gives_other_scores(built: Project, empty_project: Project) -> None:
    empty_project.configure({**TOY, "seed": 8})
    empty_project.run("--cores", "2", "figures/toy/one.svg")
    scores = "results/toy/one/scores.csv"
    assert empty_project.file(scores).read_bytes() != built.file(scores).read_bytes()


def test_a_killed_run_resumes_to_the_same_bytes(empty_project: Project) -> None:
    slow = slow_house(empty_project)
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
    slow = slow_house(empty_project)
    first = slow.start("--cores", "1", "all")
    wait_for(slow.root, "logs/toy/*/*.log")
    said = slow.run("--cores", "1", "all", expect=1)
    assert "another run is at work in this folder" in said
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
