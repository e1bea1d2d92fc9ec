"""What a user does after a fault: run again, and follow what the message advises."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable

import pytest
from tests.faults import scene
from tests.faults.scene import Run

from project import Project


def _delete(project: Project, found: re.Match[str]) -> None:
    project.file(found[1]).unlink()


def _obey(project: Project, found: re.Match[str]) -> None:
    subprocess.run(found[1], shell=True, cwd=project.root, check=True)  # noqa: S602 - our own message


def _nothing(project: Project, found: re.Match[str]) -> None:
    """The advice is to run again."""


#: What a user does on reading each message.
ADVICE: dict[str, Callable[[Project, re.Match[str]], None]] = {
    r"error: (\S+) is damaged \([^)]*\); delete it and run again": _delete,
    r"error: \S+ is dated in the future; set the clock right, or run `(.*)`": _obey,
    r"error: \S+: it is gone: run again": _nothing,
    r"jobs of an earlier run are still at work in this folder; stop them": _nothing,
}


def assert_clear(said: str, *words: str) -> None:
    """A run that stopped says why, in words and not in frames; `words` are among them."""
    assert all(word in said for word in words), said
    assert "Traceback" not in said, said
    assert "this is a bug" not in said, said
    assert re.search(r"error: |another run is at work", said), said


def assert_recovers(project: Project, undisturbed: Project, attempts: int = 4, expect: str = "") -> list[str]:
    """Run until it is done, following what each message advises; then nothing is lost, wrong or left over."""
    stories = []
    for _ in range(attempts):
        run = Run(project)
        stories.append(run.end())
        if run.process.returncode == 0:
            break
        assert_clear(stories[-1])
        advice = [(do, found) for words, do in ADVICE.items() if (found := re.search(words, stories[-1]))]
        assert advice, f"no advice in:\n{stories[-1]}"
        advice[0][0](project, advice[0][1])
    else:
        pytest.fail("\n".join(stories))
    if expect:
        assert len(stories) > 1, "the fault went unnoticed"
        assert expect in stories[0]
    wanted = scene.products(undisturbed)
    # What was deleted on advice and is needed by no one stays away until it is asked for; pictures are always needed.
    lost = [name for name in wanted if not project.file(name).is_file() and not name.endswith(".b2")]
    assert not [name for name in lost if name.startswith("figures/")]
    if lost:
        project.run("--cores", "2", *lost)
    assert scene.products(project) == wanted
    assert scene.drafts(project) == []
    assert "Nothing to be done" in project.run("--cores", "2", "all")
    return stories
