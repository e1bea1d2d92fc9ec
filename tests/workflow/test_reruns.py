"""A change re-runs what depends on it, and nothing else."""

from __future__ import annotations

import copy
import os
from typing import Any

import pytest

from house import TOY, House

pytestmark = pytest.mark.pipeline

LEARNED = {
    ("learn", f"results/toy/{figure}/learned/shares/{chunk}.npz")
    for figure in ("one", "two")
    for chunk in ("0000-0001", "0002-0003", "0004-0005")
}


def downstream(figure: str) -> set[tuple[str, str]]:
    return {
        ("score", f"results/toy/{figure}/scores.csv"),
        ("render", f"figures/toy/{figure}.svg"),
        ("tabulate", f"figures/toy/{figure}.csv"),
    }


def changed(**settings: Any) -> dict[str, Any]:
    config = copy.deepcopy(dict(TOY))
    config["papers"]["toy"]["figures"]["one"]["settings"].update(settings)
    return config


def test_a_second_run_has_nothing_to_do(house: House) -> None:
    assert "Nothing to be done" in house.run("--cores", "2", "all")


def test_touching_code_runs_nothing(house: House) -> None:
    for path in house.root.glob("src/unveil/**/*.py"):
        os.utime(path)
    assert house.planned("all") == set()


def test_editing_a_drawing_redraws_that_figure_only(house: House) -> None:
    house.edit("src/replication/papers/toy/one/draw.py", '"o"', '"s"')
    assert house.planned("all") == {("render", "figures/toy/one.svg"), ("tabulate", "figures/toy/one.csv")}


def test_editing_the_style_redraws_all_and_recomputes_nothing(house: House) -> None:
    house.edit("src/replication/style.py", '"#222222"', '"#333333"')
    assert {rule for rule, _ in house.planned("all")} == {"render", "tabulate"}


def test_editing_an_estimator_runs_its_learners_and_what_follows(house: House) -> None:
    house.edit("src/unveil/estimators/toy.py", "labels.mean()", "(labels.mean() + 0.0)")
    assert house.planned("all") == LEARNED | downstream("one") | downstream("two")


def test_editing_one_learner_leaves_the_other_figure_alone(house: House) -> None:
    house.edit("src/replication/papers/toy/two/learn.py", "100_000", "100_001")
    assert house.planned("all") == {job for job in LEARNED if "/two/" in job[1]} | downstream("two")


def test_editing_a_module_nobody_imports_runs_nothing(house: House) -> None:
    house.file("src/unveil/estimators/unused.py").write_text("x = 1\n", encoding="utf-8")
    house.edit("src/unveil/__init__.py", "costs nothing", "costs little")
    assert house.planned("all") == set()


def test_a_learners_setting_never_runs_the_owner_again(house: House) -> None:
    house.configure(changed(rounds=2))
    assert house.planned("all") == {job for job in LEARNED if "/one/" in job[1]} | downstream("one")


def test_a_shared_setting_runs_both_sides(house: House) -> None:
    house.configure(changed(flip=0.3))
    assert {rule for rule, _ in house.planned("all")} == {"release", "learn", "score", "render", "tabulate"}


def test_a_lost_intermediate_is_made_again_only_where_it_is_needed(house: House) -> None:
    house.file("figures/toy/one.pdf").unlink()
    assert house.planned("all") == {("render", "figures/toy/one.svg")}
