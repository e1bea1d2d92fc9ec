"""Files from a mirror or a folder of one's own, and what the disk may do to them."""

from __future__ import annotations

import errno
import json
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from local_server import GOOD, SYNTHETIC, Get, Write, python, sha, told
from replication.data.provenance import combine, warn_of_stand_ins
from unveil.errors import SourceError, UnveilError

HASHES = {"a.csv": sha(GOOD), "b.csv": sha(GOOD[:100])}
MIRRORED = {"grade": "full", "from": "mirror:toy", "files": {name: {"sha256": value} for name, value in HASHES.items()}}


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    (tmp_path / "mirror" / "toy").mkdir(parents=True)
    (tmp_path / "mirror" / "toy" / "a.csv").write_bytes(GOOD)
    (tmp_path / "mirror" / "toy" / "b.csv").write_bytes(GOOD[:100])
    return tmp_path / "mirror"


@pytest.mark.parametrize("by_environment", [True, False])
def test_mirror(by_environment: bool, mirror: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, get: Get) -> None:
    if by_environment:
        monkeypatch.setenv("UNVEIL_MIRROR", str(mirror))
    raw = get(MIRRORED, mirror=None if by_environment else mirror)
    provenance = told(raw)
    assert provenance["files"] == HASHES
    assert provenance["sha256"] == combine(HASHES)
    assert provenance["source"] == "mirror:toy"
    assert str(tmp_path) not in json.dumps(provenance), "no machine's own path is in the provenance of a good source"


def test_one_file_has_its_own_hash() -> None:
    assert combine({}) == ""
    assert combine({"x": "ab"}) == "ab"
    assert combine({"x": "ab", "y": "cd"}) == combine({"y": "cd", "x": "ab"}) != combine({"x": "cd", "y": "ab"})


def in_place_of(path: Path, make: Callable[[Path], Any]) -> None:
    path.unlink()
    make(path)


def circle(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.symlink_to(folder)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda mirror: in_place_of(mirror / "toy/b.csv", os.mkfifo), "b.csv is no regular file"),
        (lambda mirror: in_place_of(mirror / "toy/b.csv", lambda b: b.symlink_to("/dev/zero")), "b.csv is no regular"),
        (lambda mirror: in_place_of(mirror / "toy/b.csv", lambda b: b.symlink_to(b)), "b.csv: Too many levels of sym"),
        (lambda mirror: in_place_of(mirror / "toy/b.csv", lambda b: b.symlink_to(mirror)), "b.csv: Is a directory"),
        (lambda mirror: circle(mirror / "toy"), "no folder toy"),
        (lambda mirror: os.truncate(mirror / "toy/b.csv", 1 << 40), "b.csv is larger than"),
        (lambda mirror: (mirror / "toy/b.csv").unlink(), "b.csv: No such file"),
        (lambda mirror: (mirror / "toy/b.csv").write_bytes(b"other"), "b.csv has sha256"),
        (lambda mirror: shutil.rmtree(mirror / "toy"), "there is no folder toy"),
        (lambda mirror: shutil.rmtree(mirror), "is no folder"),
        (lambda mirror: (mirror / "toy/b.csv").unlink() or (mirror / "toy/b.csv").mkdir(), "b.csv: Is a directory"),
    ],
)
def test_incomplete_mirror(spoil: Callable[[Path], Any], message: str, mirror: Path, get: Get, raw: Path) -> None:
    spoil(mirror)
    get(MIRRORED, SYNTHETIC, mirror=mirror, allow_stand_in=True)
    assert told(raw)["source"] == "synthetic"
    assert message in told(raw)["tried"][0]
    assert {path.name for path in raw.iterdir()} == {"provenance.json"}, "nothing of the incomplete mirror landed"


def test_no_mirror_and_nothing_else(get: Get) -> None:
    with pytest.raises(SourceError, match=r"no mirror is set \(UNVEIL_MIRROR\)"):
        get(MIRRORED)


def test_unknown_data_set(get: Get) -> None:
    with pytest.raises(UnveilError, match="has no data set 'toys'; it has toy"):
        get(MIRRORED, name="toys")


def test_own_folder_is_packed_the_same_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, get: Get) -> None:
    """Licensed files: found by pattern, packed into one archive whose bytes depend on names and contents only."""
    wanted = {"own.zip": {"from": "**/part_*.mrg", "counts": {"(NN": 2}}}
    own = {"grade": "full", "from": "folder:UNVEIL_WSJ", "files": wanted}
    hashes = []
    for copy in ("one", "two"):
        for name in ("01/part_b.mrg", "00/part_a.mrg", "notes.txt")[:: 1 if copy == "one" else -1]:
            path = tmp_path / copy / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"( (NN {path.name}) )\n")
        monkeypatch.setenv("UNVEIL_WSJ", str(tmp_path / copy))
        raw = get(own, SYNTHETIC, name=copy, **{copy: own})
        hashes.append(told(raw)["sha256"])
        with zipfile.ZipFile(raw / "own.zip") as packed:
            assert packed.namelist() == ["00/part_a.mrg", "01/part_b.mrg"]
    assert hashes[0] == hashes[1]
    monkeypatch.setenv("UNVEIL_WSJ", str(tmp_path / "nowhere"))
    assert "there is no folder UNVEIL_WSJ" in told(get(own, SYNTHETIC))["tried"][0]


def run_fetch(sources: Path, raw: Path, mirror: Path, before: str) -> tuple[int, str]:
    """Fetch in a process of its own, which is first put into trouble."""
    program = f"""
import os, resource, signal, sys
from pathlib import Path
from unveil.errors import UnveilError
from replication.data.fetching import fetch as module
{before}
try:
    module.fetch("toy", *map(Path, sys.argv[1:]))
except UnveilError as error:
    sys.exit(f"{{type(error).__name__}}: {{error}}")
"""
    with python(program, sources, raw, mirror) as process:
        return process.wait(60), process.communicate()[1]


def test_full_disk(mirror: Path, write_sources: Write, raw: Path) -> None:
    """The kernel refuses to write more than 2000 bytes to a file: one line, and nothing half-written."""
    limit = "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))"
    code, said = run_fetch(write_sources(MIRRORED, SYNTHETIC), raw, mirror, limit)
    assert (code, said.count("\n")) == (1, 1)
    assert "File too large" in said
    assert not raw.exists(), "a full disk is no reason to use a stand-in"
    assert not list((raw.parent / ".staging").iterdir())


@pytest.mark.parametrize(
    ("code", "message"), [("ENOSPC", "the disk is full"), ("EROFS", "read-only"), ("EDQUOT", "quota")]
)
def test_disk_says_no(
    code: str, message: str, mirror: Path, monkeypatch: pytest.MonkeyPatch, get: Get, raw: Path
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(getattr(errno, code), code)

    for step in ("replication.data.fetching.fetch.copy_file", "replication.data.fetching.fetch.write_provenance"):
        with monkeypatch.context() as patched:
            patched.setattr(step, refuse)
            with pytest.raises(UnveilError, match=message) as caught:
                get(MIRRORED, SYNTHETIC, mirror=mirror)
        assert not isinstance(caught.value, SourceError)
        assert not raw.exists()


def test_folder_that_is_a_file(mirror: Path, tmp_path: Path, get: Get) -> None:
    (tmp_path / "raw").write_text("in the way")
    with pytest.raises(UnveilError, match=str(tmp_path / "raw")) as caught:
        get(MIRRORED, mirror=mirror)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("step", ["(stage / name).replace", "described.replace", "before verifying"])
def test_killed_half_way(step: str, mirror: Path, write_sources: Write, get: Get, raw: Path) -> None:
    """SIGKILL at the worst moments: no provenance describes what is not there, and the next run cleans up."""
    kill = "os.kill(os.getpid(), signal.SIGKILL)"
    killing_replace = f"Path.replace = lambda self, other: {kill} if {{}} else os.replace(self, other)"
    before = {
        "before verifying": f"module._verify = lambda *_: {kill}",
        "(stage / name).replace": killing_replace.format("other.name == 'b.csv'"),
        "described.replace": killing_replace.format("self.name == other.name == 'provenance.json'"),
    }[step]
    assert run_fetch(write_sources(MIRRORED), raw, mirror, before)[0] == -9
    assert not (raw / "provenance.json").exists()
    assert len(list((raw.parent / ".staging").iterdir())) == 1
    get(MIRRORED, mirror=mirror)
    assert told(raw)["files"] == HASHES
    assert not list((raw.parent / ".staging").iterdir())


def test_stand_ins_are_told_and_real_data_is_not(mirror: Path, tmp_path: Path, get: Get) -> None:
    for name in ("toy", "other"):
        get(MIRRORED, name=name, mirror=mirror, other=SYNTHETIC)
    assert warn_of_stand_ins(tmp_path / "raw", ["toy", "third"]) == []
    first, last = warn_of_stand_ins(tmp_path / "raw", ["toy", "other", "third"])
    assert first == "note: other is a stand-in (synthetic), not the paper's data"
    assert "data/README.md" in last
