"""Files made to deceive: headers that lie, hidden pickles, bombs, forged releases, broken configurations."""

from __future__ import annotations

import io
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.fuzz.harness import little_memory

from raw_files import zip_of
from replication.data.compressed import read_bounded
from replication.engine.storage import load_array, load_trials, save_trials
from unveil.errors import UnveilError


def npy_header(text: str, content: bytes = b"") -> bytes:
    header = text.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + content


HUGE = npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000)}", bytes(64))


class Evil:
    """Unpickling it would write a file."""

    def __reduce__(self) -> Any:
        return Path.write_text, (Path("unveil-was-here"), "x")


OBJECTS = io.BytesIO()
np.save(OBJECTS, np.array([Evil()], dtype=object), allow_pickle=True)


@pytest.mark.parametrize(
    "content",
    [
        HUGE,
        OBJECTS.getvalue(),
        pickle.dumps(Evil()),
        npy_header("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", pickle.dumps(Evil())),
        npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 8)}", bytes(64)),
        npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (2, ", bytes(64)),
        npy_header("[" * 5000),
        b"\x93NUMPY\x09\x00",
        b"",
    ],
    ids=["huge", "objects", "pickle", "declared objects", "negative", "cut off", "deep", "version", "empty"],
)
def test_arrays_that_lie_or_hide_a_pickle(content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.npy").write_bytes(content)
    (tmp_path / "x.npz").write_bytes(zip_of({"0/a.npy": content}, zipfile.ZIP_STORED))
    for read, name in ((load_array, "x.npy"), (load_trials, "x.npz")):
        with little_memory(), pytest.raises(UnveilError, match=name):
            read(tmp_path / name)
    assert not (tmp_path / "unveil-was-here").exists()


def test_archives_of_trials_that_are_none(tmp_path: Path) -> None:
    """A bomb, other files, and a name that is no trial's."""
    header = npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (10000000,)}", bytes(80_000_000))
    array = io.BytesIO()
    np.save(array, np.eye(2))
    for content in (
        zip_of({"0/a.npy": header}),
        zip_of({"0/a.txt": b"x"}, zipfile.ZIP_STORED),
        zip_of({"x/a.npy": array.getvalue()}, zipfile.ZIP_STORED),
    ):
        (tmp_path / "x.npz").write_bytes(content)
        with little_memory(), pytest.raises(UnveilError, match=r"x\.npz is damaged"):
            load_trials(tmp_path / "x.npz")
    save_trials(tmp_path / "x.npz", {3: {"a": np.eye(2)}})
    np.testing.assert_array_equal(load_trials(tmp_path / "x.npz")[3]["a"], np.eye(2))


def test_a_small_text_takes_little_memory(tmp_path: Path) -> None:
    """However large the file might have been allowed to be."""
    (tmp_path / "x.csv").write_bytes(b"1,2\n")
    with little_memory(5_000_000):
        assert read_bounded(tmp_path / "x.csv", 10**9) == b"1,2\n"
