"""When something is wrong, one clear line says what, the exit code is not 0, and nothing half-written is left."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.faults.scene import mount, unmount

from project import TOY, Project, toy

pytestmark = pytest.mark.pipeline


@pytest.mark.parametrize(("name", "said"), [("a{b}c", "as wildcards; move the project"), ("a:b", "move the project")])
def test_a_path_that_cannot_be_used(tmp_path: Path, name: str, said: str) -> None:
    shown = Project.build(tmp_path / name).run("-n", "all", expect=1)
    (line,) = [line for line in shown.splitlines() if line.startswith("error:")]
    assert line.endswith(said)


WRONG = {"choices": {"rounds": {"many": {"settings": {"round": 3}}}}}


@pytest.mark.parametrize(
    ("config", "added", "target", "said"),
    [
        (toy({"trails": 3}), "", "all", "papers.toy.figures.one: unknown key 'trails'; did you mean 'trials'?"),
        (TOY, "seed: 3\n", "all", "the key 'seed' stands there twice"),
        (toy(guarantees={"sample": 5}), "", "results/guarantees.csv", "unknown key 'sample'; did you mean 'samples'?"),
        (toy(multiverse={"toy": {"one": WRONG}}), "", "all", "toy.one, rounds=many: papers.toy.figures.one.settings"),
    ],
    ids=["unknown key", "twice", "guarantees", "multiverse"],
)
def test_a_mistake_is_one_line(project: Project, config: dict[str, Any], added: str, target: str, said: str) -> None:
    project.configure(config)
    with project.file("config.yaml").open("a", encoding="utf-8") as file:
        file.write(added)
    shown = project.run("--cores", "1", target, expect=1)
    (line,) = [line for line in shown.splitlines() if line.startswith("error: ")]
    assert said in line
    assert "Traceback" not in shown


def test_an_unknown_figure_is_named_with_the_known_ones(project: Project) -> None:
    said = project.run("--cores", "1", "figures/toy/three.pdf", expect=1)
    assert "toy has no figure 'three'; it has: one, two" in said


def test_a_failing_stage_shows_its_log_and_leaves_nothing(project: Project) -> None:
    project.edit(
        "src/unveil/estimators/toy.py",
        "    return",
        '    from unveil.errors import require\n\n    require(flip > 1, "flip must be above 1")\n    return',
    )
    said = project.run("--cores", "1", "figures/toy/one.svg", expect=1)
    assert "error: flip must be above 1" in said
    assert "Traceback" not in said
    assert not list(project.root.glob("results/toy/one/learned/**/.*.tmp*"))


def test_a_picture_stays_until_the_new_one_is_whole(project: Project) -> None:
    before = project.bytes_of("figures/toy/one.*", "figures/toy/.one.*")
    draw = "src/replication/papers/toy/one/draw.py"
    project.edit(draw, "    return figure", "    raise ValueError")
    assert "failed: render_toy_one" in project.run("--cores", "1", "figures/toy/one.svg", expect=1)
    assert project.bytes_of("figures/toy/one.*", "figures/toy/.one.*") == before
    project.edit(draw, "    raise ValueError", "    axes[0, 0].set_xlabel('trial')\n    return figure")
    project.run("--cores", "1", "figures/toy/one.svg")
    after = project.bytes_of("figures/toy/one.*")
    assert after.keys() < before.keys()
    assert after["figures/toy/one.svg"] != before["figures/toy/one.svg"]


def test_a_damaged_intermediate_is_noticed(project: Project) -> None:
    path = project.file("results/toy/one/released/flips/0000-0001.npz")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    said = project.run("--cores", "1", "--forcerun", "learn", "--", "figures/toy/one.svg", expect=1)
    assert f"error: {path.relative_to(project.root)} is damaged" in said


@pytest.fixture
def small_disk(project: Project) -> Iterator[Path]:
    """A file system of 64 kB in the project; mounting one takes root."""
    if not mount(project.file("small"), "64k"):
        pytest.skip("cannot mount a tmpfs here")
    yield project.file("small")
    unmount(project.file("small"))


def test_a_full_disk_is_one_line(project: Project, small_disk: Path) -> None:
    project.configure(toy(folders={**TOY["folders"], "figures": small_disk.name}))
    (small_disk / "filler").write_bytes(b"x" * 60_000)
    said = project.run("--cores", "1", "all", expect=1)
    assert "the disk is full: free some space and run again" in said
    assert [path.name for path in small_disk.rglob("*") if path.is_file()] == ["filler"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_one_line(project: Project) -> None:
    folder = project.file("results/toy/one/learned/shares")
    folder.chmod(0o555)
    said = project.run("--cores", "1", "--forcerun", "learn", "--", "figures/toy/one.svg", expect=1)
    folder.chmod(0o755)
    assert "permission denied" in said


def test_a_log_on_a_full_disk_is_one_line(project: Project, small_disk: Path) -> None:
    project.configure(toy(folders={**TOY["folders"], "logs": small_disk.name}))
    (small_disk / "filler").write_bytes(b"x" * 65_536)
    said = project.run("--cores", "1", "--forcerun", "learn", "--", "figures/toy/one.svg", expect=1)
    assert "the disk is full: free some space and run again" in said
    assert "this is a bug" not in said


def test_records_of_snakemake_that_a_crash_broke(project: Project) -> None:
    for number, path in enumerate(project.root.glob(".snakemake/metadata/*")):
        path.write_bytes([b"", bytes(40), b'{"code": "x'][number % 3])
    said = project.run("--cores", "1", "figures/toy/one.svg")
    assert "Nothing to be done" in said
    assert "corrupted" not in said
