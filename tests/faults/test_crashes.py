"""A process stopped at each of its writes in turn: the next attempt ends with the same bytes and leaves nothing over.

The stages of a small figure run as they are, one process each. In it every call that opens a file for writing, that
renames, links or removes one, or makes a folder is counted; right before the n-th of them the process is killed, for
every n. What was being written is then cut in half, as after a crash in the middle of a write.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.faults import scene

import replication.data.sets
import replication.papers
from project import TOY, Project
from replication.data.fetching.fetch import fetch
from replication.engine import layout, plan
from replication.engine.seal import check_changes

pytestmark = pytest.mark.faults

#: Events of Python's audit that change what lies on the disk, and open.
CHANGES = ("os.rename", "os.remove", "os.link", "os.symlink", "os.mkdir", "os.rmdir", "os.truncate")
Step = Callable[[], None]


def _writes(event: str, arguments: tuple[Any, ...]) -> bool:
    if event == "open":
        return bool(arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
    return event in CHANGES


def run_until(step: Step, last: int) -> int:
    """Run a step in a process of its own that is killed before its write number `last`; how it ended."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    seen = 0

    def count(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal seen
        if _writes(event, arguments):
            seen += 1
            if seen == last:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    try:
        step()
    except BaseException:
        os._exit(1)
    os._exit(0)


def files(root: Path) -> dict[str, bytes]:
    """All files but what is known of the network, which nobody asks here."""
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def cut_drafts(root: Path) -> None:
    """What was being written when the process stopped is half there."""
    for path in root.rglob(".*"):
        if path.is_file() and scene._DRAFT.match(path.name):
            os.truncate(path, path.stat().st_size // 2)


@pytest.fixture
def steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Step]]:
    """The stages of one small figure on one data set, in their order; they write below `tmp_path / "work"`."""
    project = Project.build(tmp_path / "project")
    for stage in ("release", "learn", "score"):
        project.edit(f"src/replication/papers/toy/one/{stage}.py", "breast_cancer", "pennies")
    project.file("src/replication/data/sets/pennies.py").write_text(scene._PREPARE, encoding="utf-8")
    for package, name in ((replication.papers, "papers"), (replication.data.sets, "data/sets")):
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(project.file(f"src/replication/{name}"))])
    estimators = import_module("unveil.estimators")
    monkeypatch.setattr(estimators, "__path__", [*estimators.__path__, str(project.file("src/unveil/estimators"))])
    monkeypatch.setattr(plan, "PAPERS", project.file("src/replication/papers"))
    monkeypatch.setattr(layout, "PREPARED", "work/prepared")
    monkeypatch.chdir(tmp_path)
    known = set(sys.modules)
    yield _steps(tmp_path)
    for name in set(sys.modules) - known:
        if ".toy" in name or name.endswith(".pennies"):
            del sys.modules[name]


def _steps(place: Path) -> dict[str, Step]:
    raw, prepared = place / "work/raw/pennies", place / "work/prepared/pennies"
    (place / "mirror" / "pennies").mkdir(parents=True)
    (place / "mirror" / "pennies" / "pennies.csv").write_bytes(scene.PENNIES)
    source = {**scene.SOURCE, "sources": [{"grade": "full", "from": "mirror:pennies", "files": scene.FILES}]}
    sources = place / "sources.yaml"
    sources.write_text(yaml.safe_dump({"pennies": source}), encoding="utf-8")
    block = {**scene.TOY_ONE, "trials": 2, "settings": {"flip": 0.2, "rounds": 1}}
    papers = {"toy": {"public": {"pennies": ["features"]}, "figures": {"one": block}}}
    figure = plan.plan({**TOY, "papers": papers}, {"pennies": ["features", "labels"]})["toy", "one"]
    files = layout.Files(figure, "work/results")
    pictures = [Path("work/figures", f"one.{kind}") for kind in ("svg", "png")]
    basis = {"data": [], "trials": 2, "seed": 1}
    preparing, whole, drawing = (import_module(f"workflow.scripts.{name}") for name in ("prepare", "figure", "draw"))
    return {
        "fetch": lambda: fetch("pennies", sources, raw, place / "mirror"),
        "prepare": partial(preparing.prepare, "pennies", raw, prepared),
        **{stage.__name__: partial(stage, *given) for stage, given in whole.steps(files, 1)},
        "draw": partial(drawing.draw, figure.module("draw"), Path(files.scored[0]), basis, pictures),
    }


def test_a_crash_at_every_write(steps: dict[str, Step], tmp_path: Path) -> None:
    work, before = tmp_path / "work", tmp_path / "before"
    work.mkdir()
    crashes = {}
    for name, step in steps.items():
        shutil.copytree(work, before)
        assert run_until(step, 0) == 0, name
        wanted = untimed(files(work))
        point = 0
        while True:
            point += 1
            shutil.rmtree(work)
            shutil.copytree(before, work)
            ended = run_until(step, point)
            if ended == 0:
                break
            assert ended == signal.SIGKILL, (name, point)
            cut_drafts(work)
            check_changes([work])  # what has a seal is whole
            assert run_until(step, 0) == 0, (name, point)
            assert untimed(files(work)) == wanted, (name, point)
        crashes[name] = point - 1
        shutil.rmtree(before)
    assert min(crashes.values()) >= 4, crashes
    assert sum(crashes.values()) >= 50, crashes


def untimed(found: dict[str, bytes]) -> dict[str, bytes]:
    """Without what differs from run to run: timings, the learners' among them."""
    return {name: content for name, content in found.items() if "timings" not in name and "learned" not in name}
