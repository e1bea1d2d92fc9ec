"""The watch of a learner's process, asked directly: what it answers to each call, and what the kernel is asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from replication.engine import boundary
from replication.engine.boundary import confine
from unveil import confinement
from unveil.errors import UnveilError

Hook = Callable[[str, tuple[Any, ...]], None]


class Scene:
    """A project in which one file is granted, and what was asked of Python and of the kernel."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch, kernel: bool = True) -> None:
        self.root = root
        for name in ("data/labels.csv", "data/deep/er/labels.csv", "data/public.csv", "results/scores.csv", "other"):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(name)
        (root / "hard").hardlink_to(root / "data/deep/er/labels.csv")
        (root / "granted-hard").hardlink_to(root / "data/public.csv")
        (root / "link").symlink_to(root / "data/labels.csv")
        (root / "project").symlink_to(root)
        (root / "results/own").mkdir()
        self.output = root / "results/own/0-1.npz"
        self.hooks: list[Hook] = []
        self.asked: list[tuple[list[Path], list[Path]]] = []

        def asked(readable: list[Path], writable: list[Path]) -> bool:
            self.asked.append((list(readable), list(writable)))
            return kernel

        monkeypatch.chdir(root)
        monkeypatch.setattr(sys, "addaudithook", self.hooks.append)
        monkeypatch.setattr(confinement, "confine", asked)
        monkeypatch.setattr(confinement, "landlock_version", lambda: 3)
        monkeypatch.setattr(confinement, "system_folders", lambda: [root / "system", root, root / "data" / "code"])
        monkeypatch.setattr(boundary, "use_copies", lambda: root / "kept")
        # By a name that is a link, as macOS has them.
        start = root / "project"
        private = (start / "data", Path("results"))
        self.said = confine(private, [start / "data/public.csv"], start / "results/own/0-1.npz")

    def refusal(self, event: str, *arguments: Any) -> str:
        """What a call is answered by; nothing where it is let through."""
        try:
            self.hooks[0](event, arguments)
        except UnveilError as error:
            return str(error)
        return ""


@pytest.fixture
def watch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    return Scene(tmp_path.resolve(), monkeypatch)


CLOSED = ("data/labels.csv", "data/deep/er/labels.csv", "results/scores.csv", "link", "hard", "results/own2/0-1.npz")
OPEN = ("data/public.csv", "data/.public.csv.b2", "granted-hard", "other", "not-there", "results/own", "data.csv")
OWN = ("results/own/0-1.npz", "results/own/.0-1.npz.b2", "results/own/.0-1.npz.tmp.npz")


UNREADABLE = "a learner may not read {}: it was neither released nor declared public"


@pytest.mark.parametrize("path", CLOSED)
def test_what_is_private_is_closed_however_it_is_spelt(watch: Scene, path: str) -> None:
    real = os.path.realpath(path)
    for spelt in (path, Path(path), os.fsencode(path), f"project/{path}", f"results/../{path}", real):
        assert watch.refusal("open", spelt, "r", 0) == UNREADABLE.format(real)


@pytest.mark.parametrize("path", [*OPEN, *OWN])
def test_what_is_granted_public_or_its_own_is_open(watch: Scene, path: str) -> None:
    assert watch.refusal("open", path, "r", 0) == ""
    assert watch.refusal("open", f"project/{path}", "r", 0) == ""
    assert watch.refusal("os.rename", path, path, -1, -1) == ""


LABELS, OTHER, RENAMING = "data/labels.csv", "other", ("os.rename", "os.link", "os.symlink")
NETWORK = "a learner may not open the network (('127.0.0.1', 9))"
#: Calls, their arguments, and whether they are let through.
CALLS: list[tuple[str, tuple[Any, ...], bool]] = [
    ("open", (3, "r", 0), True),  # a descriptor is no name
    *((event, (LABELS, "mine", -1), False) for event in RENAMING),
    *((event, ("mine", LABELS, -1), False) for event in RENAMING),
    *((event, ("mine", "yours", -1), True) for event in RENAMING),
    ("sqlite3.connect", (LABELS,), False),
    ("sqlite3.connect", (OTHER,), True),
    ("socket.bind", (None, ("127.0.0.1", 0)), True),
    ("import", ("json", None), True),
]  # fmt: skip


@pytest.mark.parametrize(("event", "arguments", "fine"), CALLS)
def test_a_private_file_is_reached_by_no_other_call(
    watch: Scene, event: str, arguments: tuple[Any, ...], fine: bool
) -> None:
    assert watch.refusal(event, *arguments) == ("" if fine else UNREADABLE.format(watch.root / LABELS))


@pytest.mark.parametrize(
    "event", ["subprocess.Popen", "os.system", "os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.spawn"]
)
def test_no_process_is_started_and_the_network_is_closed(watch: Scene, event: str) -> None:
    said = f"a learner may not start a process ({event}): it would not be watched"
    assert watch.refusal(event, "cat", ["cat"], None) == said
    assert watch.refusal("socket.connect", None, ("127.0.0.1", 9)) == NETWORK


def test_the_kernel_grants_what_is_needed_and_nothing_that_holds_private_folders(watch: Scene) -> None:
    [(readable, writable)] = watch.asked
    root = watch.root
    assert readable == [root / "system", root / "data/code", root / "data/public.csv", root / "data/.public.csv.b2"]
    assert writable == [root / "results/own", root / "kept"]
    assert watch.said == "watched, and confined by the kernel (Landlock 3)"


def test_without_the_kernel_the_log_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = Scene(tmp_path.resolve(), monkeypatch, kernel=False)
    assert found.said == "watched; this kernel has no Landlock to confine compiled code"
    assert "may not read" in found.refusal("open", LABELS, "r", 0)


def test_data_that_packages_carry_are_private(watch: Scene) -> None:
    import sklearn

    carried = Path(sklearn.__file__).parent / "datasets" / "data" / "breast_cancer.csv"
    assert carried.is_file()
    assert "may not read" in watch.refusal("open", str(carried), "r", 0)
    assert watch.refusal("open", sklearn.__file__, "r", 0) == ""


def test_packages_that_are_not_there_carry_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boundary, "_CARRIED", (("no_such_package_at_all", "x"), ("json.decoder", "y"), ("json", "z")))
    import json

    assert list(boundary._carried()) == [Path(json.__file__).parent / "z"]
