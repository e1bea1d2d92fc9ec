"""Files without a checksum that runs leave for later ones: whatever a crash made of them, nobody need do anything."""

from __future__ import annotations

import fcntl
import json
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

import replication.engine.code as engine_code
from project import ROOT
from replication.engine.costs import Cost, notes
from replication.engine.state import forget_broken_records
from unveil.kernels import drop_broken

#: What a crash leaves of a content; the last half ends within a letter.
HARMS: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut": lambda whole: whole[: len(whole) // 2],
    "cut at its end": lambda whole: whole[:-2],
    "NULs": lambda whole: bytes(len(whole)),
    "no UTF-8": lambda whole: whole[:-2] + b"\xc3",
}


class State:
    """A file, what is written in it, and what a run does with it: `use` says whether it found it good."""

    def __init__(self, path: Path, whole: bytes, use: Callable[[], bool]) -> None:
        self.path, self.whole, self.use = path, whole, use
        path.parent.mkdir(parents=True, exist_ok=True)


def _lasts(path: Path, sweep: Callable[..., None], folder: object) -> bool:
    """Whether the file is left by what deletes broken ones."""
    sweep(folder)
    return path.exists()


def cost_note(root: Path, _: pytest.MonkeyPatch) -> State:
    whole = json.dumps({"cpu_seconds": 1.5, "wall_seconds": 2.0, "peak_mib": 60.0}).encode()
    return State(root / "p/a.cost.json", whole, lambda: list(notes(root)) == [("p/a", Cost(1.5, 60.0))])


def essences(root: Path, patch: pytest.MonkeyPatch) -> State:
    patch.setattr(engine_code, "ROOT", root)
    path = root / ".cache/essences.json"

    def use() -> bool:
        engine_code._essences.cache_clear()
        return bool(engine_code._essences())

    return State(path, json.dumps({"a" * 64: "b" * 64}).encode(), use)


def kernel_index(root: Path, _: pytest.MonkeyPatch) -> State:
    path = root / "counts_0/rows.one-12.py311.nbi"
    return State(path, pickle.dumps("0.60") + pickle.dumps((1.0, {})), lambda: _lasts(path, drop_broken, [root]))


def kernel(root: Path, _: pytest.MonkeyPatch) -> State:
    path = root / "counts_0/rows.one-12.py311.1.nbc"
    return State(path, pickle.dumps(("target", b"code" * 100_000)), lambda: _lasts(path, drop_broken, [root]))


def record(root: Path, _: pytest.MonkeyPatch) -> State:
    path = root / "metadata/cmVzdWx0cw=="
    whole = json.dumps({"code": "é", "params": ["é"] * 9}, ensure_ascii=False).encode()
    return State(path, whole, lambda: _lasts(path, forget_broken_records, root))


STATES = [cost_note, essences, kernel_index, kernel, record]


@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize("make", STATES)
def test_a_broken_file_is_made_anew(
    make: Callable[[Path, pytest.MonkeyPatch], State], harm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = make(tmp_path, monkeypatch)
    state.path.write_bytes(HARMS[harm](state.whole))
    assert not state.use()


@pytest.mark.parametrize("obstacle", ["none", "locked", "read-only"])
@pytest.mark.parametrize("make", STATES)
def test_a_whole_file_is_used_whoever_holds_it(
    make: Callable[[Path, pytest.MonkeyPatch], State], obstacle: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = make(tmp_path, monkeypatch)
    state.path.write_bytes(state.whole)
    if obstacle == "read-only":
        state.path.chmod(0o400)
    with state.path.open("rb") as file:
        if obstacle == "locked":
            fcntl.flock(file, fcntl.LOCK_EX)
        assert state.use()
        assert state.path.read_bytes() == state.whole


def test_a_file_that_was_being_made_stays_marked(tmp_path: Path) -> None:
    """Snakemake looks whether the mark is there: without it half a result would pass."""
    mark = tmp_path / "incomplete/cmVzdWx0cw=="
    mark.parent.mkdir()
    mark.write_bytes(bytes(9) + b"\xff")
    forget_broken_records(tmp_path)
    assert mark.read_bytes() == b"{}"


def test_no_advice_deletes_what_a_checksum_would_keep() -> None:
    sources = [*(ROOT / "src").rglob("*.py"), *(ROOT / "workflow").rglob("*.smk"), *(ROOT / "workflow").rglob("*.py")]
    advising = {path for path in (*sources, *(ROOT / "docs").glob("*.md")) if "make clean" in path.read_text("utf-8")}
    assert not advising
