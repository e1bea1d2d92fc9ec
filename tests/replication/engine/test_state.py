"""Files without a checksum that runs leave for later ones: whatever a crash made of them, nobody need do anything."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

import replication.engine.code as engine_code
from project import ROOT
from replication.engine.costs import Cost, notes
from unveil.kernels import drop_broken

#: What a crash leaves of a content; the last half ends within a letter.
HARMS: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut": lambda whole: whole[: len(whole) // 2],
    "cut at its end": lambda whole: whole[:-2],
    "NULs": lambda whole: bytes(len(whole)),
    "no UTF-8": lambda whole: whole[:-2] + b"\xc3",
}


#: A file, what is written in it, and what a run does with it, which says whether it found it good.
State = tuple[Path, bytes, Callable[[], bool]]


def cost_note(root: Path, _: pytest.MonkeyPatch) -> State:
    whole = json.dumps({"cpu_seconds": 1.5, "wall_seconds": 2.0, "peak_mib": 60.0}).encode()
    return root / "p/a.cost.json", whole, lambda: list(notes(root)) == [("p/a", Cost(1.5, 60.0))]


def essences(root: Path, patch: pytest.MonkeyPatch) -> State:
    patch.setattr(engine_code, "ROOT", root)
    engine_code._essences.cache_clear()
    whole = json.dumps({"a" * 64: "b" * 64}).encode()
    return root / ".cache/essences.json", whole, lambda: bool(engine_code._essences())


def kernel(name: str, whole: bytes) -> Callable[[Path, pytest.MonkeyPatch], State]:
    def make(root: Path, _: pytest.MonkeyPatch) -> State:
        path = root / "counts_0" / name

        def is_left() -> bool:
            drop_broken([root])
            return path.exists()

        return path, whole, is_left

    return make


STATES = {
    "cost": cost_note,
    "essences": essences,
    "index of kernels": kernel("rows.one-12.py311.nbi", pickle.dumps("0.60") + pickle.dumps((1.0, {}))),
    "kernel": kernel("rows.one-12.py311.1.nbc", pickle.dumps(("target", b"code" * 100_000))),
}


@pytest.mark.parametrize("name", STATES)
def test_a_broken_file_is_made_anew_and_a_whole_one_used(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for harm, spoil in {"none": bytes, **HARMS}.items():
        path, whole, is_used = STATES[name](tmp_path / harm, monkeypatch)
        path.parent.mkdir(parents=True)
        path.write_bytes(spoil(whole))
        assert is_used() == (harm == "none"), harm


def test_no_advice_deletes_what_a_checksum_would_keep() -> None:
    sources = [*(ROOT / "src").rglob("*.py"), *(ROOT / "workflow").rglob("*.smk"), *(ROOT / "workflow").rglob("*.py")]
    advising = {path for path in (*sources, *(ROOT / "docs").glob("*.md")) if "make clean" in path.read_text("utf-8")}
    assert not advising
