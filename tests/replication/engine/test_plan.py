"""Arms, chunks and overlaps; the configurations that are shipped."""

from __future__ import annotations

import copy
import dataclasses
import functools
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from snakemake_executor_plugin_slurm import ExecutorSettings

import replication.papers
from configured import CONFIG, FIELDS
from project import ROOT, Project, sample, toy
from replication.engine import plan
from replication.engine.checking import require_single_keys
from replication.engine.pictures import pictures_of
from unveil.errors import UnveilError


def plans_of(config: dict[str, Any]) -> dict[tuple[str, str], plan.Figure]:
    return plan.plan(config, FIELDS)


default = functools.partial(copy.deepcopy, CONFIG)


def test_the_sample_changes_numbers_and_folders_only() -> None:
    ours, theirs = (
        {(*key, arm) for key, figure in plans_of(config).items() for arm in figure.arms}
        for config in (sample(), default())
    )
    assert ours == theirs


def test_the_profiles_share_no_key_and_name_settings_that_exist() -> None:
    """The default profile is always loaded and wins over another one key by key."""
    profiles = {
        path.parent.name: yaml.safe_load(path.read_text(encoding="utf-8"))
        for path in (ROOT / "profiles").glob("*/config.yaml")
    }
    assert profiles.keys() == {"default", "sample", "slurm"}
    for name in ("sample", "slurm"):
        assert not profiles["default"].keys() & profiles[name].keys()
    executor = {field.name for field in dataclasses.fields(ExecutorSettings)}
    asked = {key.removeprefix("slurm-").replace("-", "_") for key in profiles["slurm"] if "slurm-" in key}
    assert asked
    assert asked <= executor


@pytest.mark.parametrize("factor", [2, 5])
def test_the_chunk_factor_lengthens_every_chunk(factor: int) -> None:
    once, longer = plans_of(default()), plans_of({**default(), "chunk_factor": factor})
    for key, figure in once.items():
        for place, arm in figure.arms.items():
            chunks = longer[key].arms[place].chunks
            assert [t for chunk in chunks for t in chunk] == [t for chunk in arm.chunks for t in chunk]
            assert len(chunks) == math.ceil(len(arm.chunks) / factor)


def test_every_figure_folder_stands_in_the_configuration() -> None:
    folders = {
        (path.parent.parent.name, path.parent.name)
        for path in (ROOT / "src/replication/papers").glob("*/*/caption.rst")
    }
    assert folders == set(plan.plan(default(), FIELDS))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """The toy's figures beside the project's."""
    project = Project.build(tmp_path_factory.mktemp("plan") / "project")
    papers = project.file("src/replication/papers")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "PAPERS", papers)
        patch.setattr(replication.papers, "__path__", [str(papers)])
        yield project


def lacking(part: str, name: str) -> dict[str, Any]:
    """The toy without something in its first figure's block."""
    config = toy()
    del config["papers"]["toy"]["figures"]["one"][part][name]
    return config


@pytest.mark.parametrize(
    ("config", "complaint"),
    [
        (toy(seed="x"), "configuration, seed: input should be a valid integer, not 'x'"),
        (lacking("settings", "flip"), "the setting 'flip' is missing"),
        (lacking("learn", "shares"), "`learn` must stand in the configuration"),
        (toy({"settings": {"flip": "often", "rounds": 1}}), "settings.flip"),
        (toy({"settings": {"flip": 1.5, "rounds": 1}}), "less than or equal to 1, not 1.5"),
        (toy({"learn": {"shares": {"rounds": "x"}}}), "learn.shares.rounds"),
        (toy({"learn": {"shares": {"trials": 7}}}), "learn.shares: unknown key 'trials'"),
        (toy({"trials": -1}), "papers.toy.figures.one.trials"),
    ],
)
def test_a_mistake_is_one_line_that_names_it(project: Project, config: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UnveilError) as caught:
        plans_of(config)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("needed", ["draw.py", "caption.rst", "settings.py"])
def test_a_figure_without_one_of_its_files(project: Project, needed: str) -> None:
    path = project.file(f"src/replication/papers/toy/one/{needed}")
    kept = path.read_bytes()
    path.unlink()
    with pytest.raises(UnveilError, match=f"papers.toy.figures.one: the figure has no {needed}; write ") as caught:
        plans_of(toy())
    path.write_bytes(kept)
    assert "\n" not in str(caught.value)


def test_a_figure_takes_what_it_lacks_from_the_one_it_extends(project: Project) -> None:
    folder = project.file("src/replication/papers/toy/three")
    folder.mkdir()
    (folder / "caption.rst").write_text("A third.\n", encoding="utf-8")
    config = toy()
    figures = config["papers"]["toy"]["figures"]
    figures["three"] = {"extends": "one", "trials": 3, "settings": {"rounds": 5}, "learn": {"shares": {"chunk": 1}}}
    one, three = (plans_of(config)["toy", name] for name in ("one", "three"))
    assert (three.trials, len(three.learn["shares"].chunks)) == (3, 3)
    assert three.learn["shares"].settings == dataclasses.replace(one.learn["shares"].settings, rounds=5)
    assert three.learn["shares"].reads == one.learn["shares"].reads
    assert three.module("learn") == one.module("learn") == "replication.papers.toy.one.learn"
    (picture,) = pictures_of(three)
    assert (picture.name, picture.caption, picture.has_table) == ("three", folder / "caption.rst", True)
    for wrong, complaint in (
        ({"extends": "onne"}, "papers.toy.figures.three.extends: unknown figure 'onne'; did you mean 'one'?"),
        ({"extends": "three"}, "papers.toy.figures.three.extends: a figure cannot extend itself"),
        ({"extends": "one", "settings": {"round": 1}}, "unknown key 'round'; did you mean 'rounds'?"),
    ):
        figures["three"] = wrong
        with pytest.raises(UnveilError, match=re.escape(complaint)):
            plans_of(config)
    (folder / "caption.rst").unlink()


chunkings = st.integers(1, 40).flatmap(
    lambda trials: st.tuples(st.just(trials), st.integers(1, trials), st.integers(1, trials))
)


@given(chunkings)
def test_every_learner_chunk_finds_its_releases(sizes: tuple[int, int, int]) -> None:
    trials, owner_chunk, learner_chunk = sizes
    owner, learner = (
        plan.Arm("x", tuple(range(a, min(a + size, trials)) for a in range(0, trials, size)))
        for size in (owner_chunk, learner_chunk)
    )
    for chunk in learner.chunks:
        released = [t for trials in plan.overlapping(owner, chunk) for t in trials]
        assert set(chunk) <= set(released)
        assert len(released) < len(chunk) + 2 * owner_chunk


@pytest.mark.parametrize(
    ("folders", "complaint"),
    [
        ({"results": "/var/results"}, "folders: results must lie inside the project, not at /var/results"),
        ({"figures": "../figures"}, "folders: figures must lie inside the project, not at ../figures"),
        ({"figures": "a/../../b"}, "folders: figures must lie inside the project, not at ../b"),
        ({"logs": "."}, "folders: logs must lie inside the project"),
        ({"results": "src/results"}, "folders: results must not lie in the project's own src"),
        ({"results": "data"}, "folders: results must not lie in the project's own data"),
        ({"logs": ".snakemake/log"}, "folders: logs must not lie in the project's own .snakemake"),
        ({"figures": "results"}, "folders: results and figures must not lie in one another"),
        ({"figures": "./results/"}, "folders: results and figures must not lie in one another"),
        ({"logs": "results/logs"}, "folders: results and logs must not lie in one another"),
    ],
)
def test_folders_of_a_run(folders: dict[str, str], complaint: str) -> None:
    config = default()
    config["folders"] = {**config["folders"], **folders}
    with pytest.raises(UnveilError, match=re.escape(complaint)) as caught:
        plans_of(config)
    assert "\n" not in str(caught.value)


def test_more_trials_than_anybody_has_time_for() -> None:
    config = default()
    config["papers"]["class_ratio"]["figures"]["fig2"]["trials"] = 10**7
    with pytest.raises(UnveilError, match=r"fig2\.trials: input should be less than or equal to 10000, not 10000000"):
        plans_of(config)


def test_a_key_that_stands_twice(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("a: 1\nb: {c: 1, d: [{e: 2}]}\n")
    require_single_keys(path)
    for text, line, key in (("a: 1\nb: 2\na: 3\n", 3, "a"), ("b:\n  - {e: 2, e: 2}\n", 2, "e")):
        path.write_text(text)
        with pytest.raises(UnveilError, match=f"config.yaml, line {line}: the key '{key}' stands there twice"):
            require_single_keys(path)
