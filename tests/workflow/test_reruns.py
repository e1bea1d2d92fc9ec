"""A change re-runs what depends on it, and nothing else."""

from __future__ import annotations

import os
import re
import subprocess
from typing import Any

import pytest

from project import Project, toy

pytestmark = pytest.mark.pipeline

CHUNKS = ("0000-0001", "0002-0003", "0004-0005")
LEARNED = {("learn", f"results/toy/one/learned/shares/{chunk}.npz") for chunk in CHUNKS}


ONE_DRAWN, TWO_DRAWN = ((f"render_toy_{figure}", f"figures/toy/{figure}.svg") for figure in ("one", "two"))
#: What follows from another learner, of the figure that goes job by job and of the one that is a single job.
ONE = LEARNED | {("score", "results/toy/one/scores.csv"), ONE_DRAWN}
TWO = {("figure", "results/toy/two/scores.csv"), TWO_DRAWN}
DRAWING = {"render_toy_one", "render_toy_two"}
RULES = {"release", "learn", "score", "figure", *DRAWING}


def test_a_second_run_has_nothing_to_do(project: Project) -> None:
    assert "Nothing to be done" in project.run("--cores", "2", "all")


def test_words_layout_times_and_another_branch_run_nothing(project: Project) -> None:
    files = [path for path in project.root.rglob("*.py") if ".snakemake" not in path.parts]
    for path in files:
        os.utime(path)
    assert project.planned("all") == set()
    originals = {path: path.read_text(encoding="utf-8") for path in files}
    for path, text in originals.items():
        path.write_text(f"# Another comment.\n{text}\n\n# And one more.\n", encoding="utf-8")
    project.edit("src/unveil/estimators/toy.py", "A toy estimator.", "Another word for it.")
    project.edit("workflow/scripts/learn.py", "and time it", "and take its time")
    assert project.planned("all") == set()
    for path, text in originals.items():
        path.write_text(text, encoding="utf-8")
    assert project.planned("all") == set()


def test_a_neighbour_is_drawn_from_the_same_scores(project: Project) -> None:
    folder = project.file("src/replication/papers/toy/one")
    table = "import pandas as pd\n\n\ndef table(scores: pd.DataFrame) -> pd.DataFrame:\n    return scores.head(2)\n"
    (folder / "draw_first.py").write_text(f'"""The first scores."""\n\n{table}', encoding="utf-8")
    (folder / "caption_first.rst").write_text("The first of {setting[trials]} trials.\n", encoding="utf-8")
    assert project.planned("all") == {ONE_DRAWN}
    project.run("--cores", "2", "all")
    assert project.file("figures/toy/one_first.rst").read_text(encoding="utf-8") == "The first of 6 trials.\n"
    assert len(project.rows("figures/toy/one_first.csv")) == 2
    assert "toy has no figure 'one_last'" in project.run("--cores", "1", "figures/toy/one_last.pdf", expect=1)


def test_another_branch_and_back_runs_nothing(project: Project) -> None:
    """The times of all files that differ between the branches change."""
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@y.z"]

    def run(*arguments: str) -> None:
        subprocess.run([*git, *arguments], cwd=project.root, check=True, capture_output=True)

    project.file(".gitignore").write_text("results\nfigures\ndata/raw\ndata/prepared\n.snakemake\nlogs\n")
    run("init", "-b", "one")
    run("add", "src", "workflow", "Snakefile", "config.yaml", ".gitignore")
    run("commit", "-m", "one")
    run("checkout", "-b", "two")
    project.edit("src/unveil/estimators/toy.py", "1 - 2 * flip", "1 - 3 * flip")
    assert project.planned("all") != set()
    run("commit", "-am", "two")
    run("checkout", "one")
    assert project.planned("all") == set()


def test_a_folder_that_moves_runs_nothing(project: Project) -> None:
    there = project.root.with_name("moved")
    project.root.rename(there)
    assert Project(there).planned("all") == set()


def test_another_locked_version_runs_what_imports_the_package(project: Project) -> None:
    lock = project.file("requirements/run.txt")
    text = lock.read_text(encoding="utf-8")
    lock.write_text(re.sub(r"(?m)^matplotlib==\S+", "matplotlib==0.0", text), encoding="utf-8")
    assert {rule for rule, _ in project.planned("all")} == DRAWING
    lock.write_text(re.sub(r"(?m)^snakefmt==\S+|^wrapt==\S+", "wrapt==0.0", text), encoding="utf-8")
    assert project.planned("all") == set()
    lock.write_text(re.sub(r"(?m)^numpy==\S+", "numpy==0.0", text), encoding="utf-8")
    assert {rule for rule, _ in project.planned("all")} >= RULES - DRAWING


#: An edit of a file, and the rules, or the very jobs, that run after it.
EDITS: list[tuple[str, str, str, set[str] | set[tuple[str, str]]]] = [
    ("engine/code.py", "FORMAT = ", "FORMAT = 1 + ", {"fetch", "prepare_breast_cancer", *RULES}),
    ("engine/runs.py", "patience: float = 30.0", "patience: float = 31.0", set()),
    ("papers/toy/one/draw.py", '"o"', '"s"', {ONE_DRAWN}),
    ("palette.py", '"#222222"', '"#333333"', DRAWING),
    ("../unveil/estimators/toy.py", "labels.mean()", "(labels.mean() + 0.0)", ONE | TWO),
    ("papers/toy/two/learn.py", "100_000", "100_001", TWO),
    ("../unveil/__init__.py", "costs nothing", "costs little", set()),
]


@pytest.mark.parametrize(("file", "old", "new", "runs"), EDITS, ids=[file for file, *_ in EDITS])
def test_an_edit_runs_what_depends_on_it(project: Project, file: str, old: str, new: str, runs: set[Any]) -> None:
    project.file("src/unveil/estimators/unused.py").write_text("x = 1\n", encoding="utf-8")
    project.edit(f"src/replication/{file}", old, new)
    planned = project.planned("all")
    assert runs in (planned, {rule for rule, _ in planned})


@pytest.mark.parametrize(("setting", "runs"), [({"rounds": 2}, ONE | TWO), ({"flip": 0.3}, RULES)])
def test_a_setting_runs_the_stages_that_ask_for_it(project: Project, setting: dict[str, Any], runs: set[Any]) -> None:
    project.configure(toy(both={"settings": setting}))
    planned = project.planned("all")
    assert runs in (planned, {rule for rule, _ in planned})


def test_a_lost_intermediate_is_made_again_only_where_it_is_needed(project: Project) -> None:
    project.file("figures/toy/one.pdf").unlink()
    assert project.planned("all") == {ONE_DRAWN}
