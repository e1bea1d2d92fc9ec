"""The file format that releases and models share."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from unveil import containers
from unveil.errors import UnveilError
from unveil.files import create
from unveil.fingerprints import checksum, jsonable

HEADER = {"format": "a test 1", "names": ["α", "b"], "share": 0.1}
ARRAYS = {
    "bits": np.array([[True, False]]),
    "counts": np.arange(6, dtype=">i4").reshape(2, 3),
    "scale": np.array(0.3),
    "weights": np.linspace(0, 1, 4)[::2],
    "none": np.zeros((0, 3)),
}


def written(folder: Path) -> Path:
    path = folder / "file"
    create(path, containers.content_of(HEADER, ARRAYS))
    return path


def load(path: Path) -> tuple[dict[str, object], dict[str, np.ndarray]]:
    content, arrays = containers.read(path, "a test 1", {"names", "share"}, "test")
    return content, dict(arrays)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    content, arrays = load(written(tmp_path))
    assert content == {"names": ["α", "b"], "share": 0.1}
    assert checksum(HEADER, ARRAYS) == checksum(HEADER, arrays)
    for name, array in ARRAYS.items():
        assert arrays[name].shape == array.shape
        assert np.array_equal(arrays[name], array)


def test_every_changed_byte_and_every_cut_is_noticed(tmp_path: Path) -> None:
    path = written(tmp_path)
    whole = path.read_bytes()
    for place in range(len(whole)):
        for harmed in (whole[:place], whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]):
            path.write_bytes(harmed)
            with pytest.raises(UnveilError, match="file"):
                load(path)
    path.write_bytes(whole + b"x")
    with pytest.raises(UnveilError, match="more than its header says"):
        load(path)


def test_a_size_that_the_file_does_not_have_takes_no_memory(tmp_path: Path) -> None:
    kind = {"type": "<f8", "shape": [1 << 40]}
    header = {**HEADER, "arrays": {"weights": kind}, "sha256": ""}
    (tmp_path / "file").write_text(json.dumps(header, indent=1) + "\n")
    with pytest.raises(UnveilError, match="cut off"):
        load(tmp_path / "file")


def test_objects_and_infinities_stay_out(tmp_path: Path) -> None:
    with pytest.raises(UnveilError, match="numbers"):
        create(tmp_path / "file", containers.content_of(HEADER, {"texts": np.array(["a"], dtype=object)}))
    with pytest.raises(UnveilError, match="finite"):
        jsonable({"scale": float("inf")})
    create(tmp_path / "file", containers.content_of(HEADER, {"weights": np.array([np.nan])}))
    with pytest.raises(UnveilError, match="finite"):
        load(tmp_path / "file")
