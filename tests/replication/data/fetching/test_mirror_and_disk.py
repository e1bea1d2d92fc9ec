"""Files from a mirror or a folder of one's own, and what the disk may do to them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import unveil
from local_server import GOOD, sha
from replication.data.fetching.fetch import combined, fetch
from replication.data.fetching.landing import stand_ins
from unveil.errors import SourceError, UnveilError

Write = Callable[..., Path]
SYNTHETIC = {"grade": "stand-in", "synthetic": True}


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    (tmp_path / "mirror" / "toy").mkdir(parents=True)
    (tmp_path / "mirror" / "toy" / "a.csv").write_bytes(GOOD)
    (tmp_path / "mirror" / "toy" / "b.csv").write_bytes(GOOD[:100])
    return tmp_path / "mirror"


def mirrored(**files: dict[str, Any]) -> dict[str, Any]:
    listed = {"a.csv": {"sha256": sha(GOOD)}, "b.csv": {"sha256": sha(GOOD[:100])}} | files
    return {"grade": "full", "mirror": "toy", "files": listed}


def told(raw: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((raw / "provenance.json").read_text())
    return content


@pytest.mark.parametrize("by_environment", [True, False])
def test_mirror(
    by_environment: bool, mirror: Path, write_sources: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = tmp_path / "raw" / "toy"
    if by_environment:
        monkeypatch.setenv("UNVEIL_MIRROR", str(mirror))
    fetch("toy", write_sources(mirrored()), raw, None if by_environment else mirror)
    provenance = told(raw)
    hashes = {"a.csv": sha(GOOD), "b.csv": sha(GOOD[:100])}
    assert provenance["files"] == hashes
    assert provenance["sha256"] == combined(hashes)
    assert provenance["source"] == "mirror:toy"
    assert str(tmp_path) not in json.dumps(provenance), "no machine's own path is in the provenance of a good source"
    assert not (raw.parent / ".network.json").exists(), "nobody asked the network"


def test_one_file_has_its_own_hash() -> None:
    assert combined({}) == ""
    assert combined({"x": "ab"}) == "ab"
    assert combined({"x": "ab", "y": "cd"}) == combined({"y": "cd", "x": "ab"}) != combined({"x": "cd", "y": "ab"})


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda mirror: (mirror / "toy/b.csv").unlink(), "b.csv: No such file"),
        (lambda mirror: (mirror / "toy/b.csv").write_bytes(b"other"), "b.csv has sha256"),
        (lambda mirror: shutil.rmtree(mirror / "toy"), "there is no folder toy"),
        (lambda mirror: shutil.rmtree(mirror), "is no folder"),
        (lambda mirror: (mirror / "toy/b.csv").unlink() or (mirror / "toy/b.csv").mkdir(), "b.csv: Is a directory"),
    ],
)
def test_incomplete_mirror(
    spoil: Callable[[Path], Any], message: str, mirror: Path, write_sources: Write, tmp_path: Path
) -> None:
    spoil(mirror)
    raw = tmp_path / "raw" / "toy"
    fetch("toy", write_sources(mirrored(), SYNTHETIC), raw, mirror)
    assert told(raw)["source"] == "synthetic"
    assert message in told(raw)["tried"][0]
    assert {path.name for path in raw.iterdir()} == {"provenance.json"}, "nothing of the incomplete mirror landed"


def test_no_mirror_and_nothing_else(write_sources: Write, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"no mirror is set \(UNVEIL_MIRROR\)"):
        fetch("toy", write_sources(mirrored()), tmp_path / "raw" / "toy")


def test_unknown_data_set(write_sources: Write, tmp_path: Path) -> None:
    with pytest.raises(UnveilError, match="has no data set 'toys'; it has toy"):
        fetch("toys", write_sources(mirrored()), tmp_path / "raw" / "toys")


def test_too_large_for_its_bound(mirror: Path, write_sources: Write, tmp_path: Path) -> None:
    (mirror / "toy" / "a.csv").write_bytes(b"x" * 1_000_001)
    with pytest.raises(SourceError, match=r"a\.csv is larger than the 1 MB"):
        fetch("toy", write_sources(mirrored() | {"megabytes": 1}), tmp_path / "raw" / "toy", mirror)


def test_own_folder_is_packed_the_same_everywhere(
    write_sources: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Licensed files: found by pattern, packed into one archive whose bytes depend on names and contents only."""
    wanted = {"own.zip": {"from": "**/part_*.mrg", "pin": True, "expect": {"members": {"*part_*.mrg": 2}}}}
    sources = write_sources({"grade": "full", "folder": "UNVEIL_WSJ", "files": wanted}, SYNTHETIC)
    hashes = []
    for copy in ("one", "two"):
        for name in ("01/part_b.mrg", "00/part_a.mrg", "notes.txt")[:: 1 if copy == "one" else -1]:
            path = tmp_path / copy / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"( (NN {path.name}) )\n")
        monkeypatch.setenv("UNVEIL_WSJ", str(tmp_path / copy))
        raw = tmp_path / f"raw of {copy}" / "toy"
        fetch("toy", sources, raw)
        hashes.append(told(raw)["sha256"])
        with zipfile.ZipFile(raw / "own.zip") as packed:
            assert packed.namelist() == ["00/part_a.mrg", "01/part_b.mrg"]
    assert hashes[0] == hashes[1]
    monkeypatch.setenv("UNVEIL_WSJ", str(tmp_path / "nowhere"))
    fetch("toy", sources, tmp_path / "raw" / "toy")
    assert "there is no folder UNVEIL_WSJ" in told(tmp_path / "raw" / "toy")["tried"][0]


def run_fetch(sources: Path, raw: Path, mirror: Path, before: str) -> subprocess.CompletedProcess[str]:
    """Fetch in a process of its own, which is first put into trouble."""
    program = f"""
import os, resource, signal, sys
from pathlib import Path
from unveil.errors import UnveilError
from replication.data.fetching import fetch as module, landing
{before}
try:
    module.fetch("toy", *map(Path, sys.argv[1:]))
except UnveilError as error:
    sys.exit(f"{{type(error).__name__}}: {{error}}")
"""
    command = [sys.executable, "-c", program, str(sources), str(raw), str(mirror)]
    environment = {**os.environ, "PYTHONPATH": str(Path(unveil.__file__).parents[1])}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_full_disk(mirror: Path, write_sources: Write, tmp_path: Path) -> None:
    """The kernel refuses to write more than 2000 bytes to a file: one line, and nothing half-written."""
    limit = "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))"
    raw = tmp_path / "raw" / "toy"
    done = run_fetch(write_sources(mirrored(), SYNTHETIC), raw, mirror, limit)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "File too large" in done.stderr
    assert not raw.exists(), "a full disk is no reason to use a stand-in"
    assert not list((tmp_path / "raw" / ".staging").iterdir())


@pytest.mark.parametrize(
    ("code", "message"), [("ENOSPC", "the disk is full"), ("EROFS", "read-only"), ("EDQUOT", "quota")]
)
def test_disk_says_no(
    code: str, message: str, mirror: Path, write_sources: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import errno

    def refuse(*_: object, **__: object) -> None:
        raise OSError(getattr(errno, code), code)

    raw = tmp_path / "raw" / "toy"
    sources = write_sources(mirrored(), SYNTHETIC)
    for step in ("replication.data.fetching.fetch.copy_file", "replication.data.fetching.landing.write_json"):
        with monkeypatch.context() as patched:
            patched.setattr(step, refuse)
            with pytest.raises(UnveilError, match=message) as caught:
                fetch("toy", sources, raw, mirror)
        assert not isinstance(caught.value, SourceError)
        assert not raw.exists()


def test_folder_that_is_a_file(mirror: Path, write_sources: Write, tmp_path: Path) -> None:
    (tmp_path / "raw").write_text("in the way")
    with pytest.raises(UnveilError, match=str(tmp_path / "raw")) as caught:
        fetch("toy", write_sources(mirrored()), tmp_path / "raw" / "toy", mirror)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("step", ["(stage / name).replace", "described.replace", "before verifying"])
def test_killed_half_way(step: str, mirror: Path, write_sources: Write, tmp_path: Path) -> None:
    """SIGKILL at the worst moments: no provenance describes what is not there, and the next run cleans up."""
    kill = "os.kill(os.getpid(), signal.SIGKILL)"
    killing_replace = f"Path.replace = lambda self, other: {kill} if {{}} else os.replace(self, other)"
    before = {
        "before verifying": f"module.Fetching._verify = lambda *_: {kill}",
        "(stage / name).replace": killing_replace.format("other.name == 'b.csv'"),
        "described.replace": killing_replace.format("self.name == other.name == 'provenance.json'"),
    }[step]
    raw = tmp_path / "raw" / "toy"
    sources = write_sources(mirrored())
    done = run_fetch(sources, raw, mirror, before)
    assert done.returncode == -9
    assert not (raw / "provenance.json").exists()
    assert len(list((tmp_path / "raw" / ".staging").iterdir())) == 1
    fetch("toy", sources, raw, mirror)
    assert told(raw)["files"] == {"a.csv": sha(GOOD), "b.csv": sha(GOOD[:100])}
    assert not list((tmp_path / "raw" / ".staging").iterdir())


def test_stand_ins_are_told_and_real_data_is_not(mirror: Path, write_sources: Write, tmp_path: Path) -> None:
    sources = write_sources(mirrored(), other=SYNTHETIC)
    fetch("toy", sources, tmp_path / "raw" / "toy", mirror)
    fetch("other", sources, tmp_path / "raw" / "other", mirror)
    assert stand_ins(tmp_path / "raw", ["toy", "third"]) == []
    first, last = stand_ins(tmp_path / "raw", ["toy", "other", "third"])
    assert first == "note: other is a stand-in (synthetic), not the paper's data"
    assert "data/README.md" in last
