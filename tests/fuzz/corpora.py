"""Readers of files that come from elsewhere, and the hostile files that are kept for each under `tests/fuzz/corpus`.

`python -m tests.fuzz.corpora` writes the generated ones anew; `make fuzz` adds every input that broke a reader.
"""

from __future__ import annotations

import io
import json
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from replication.engine.storage import load_array, load_trials
from unveil.errors import TooNoisy
from unveil.estimators.moments.regression import MomentRegression
from unveil.fingerprints import checksum
from unveil.mechanisms.per_value import PerValueRelease
from unveil.protocols.base import Release
from unveil.protocols.sheets import Sheet

FOLDER = Path(__file__).parent / "corpus"


class Reader(NamedTuple):
    """What reads a file, and what its name has to end with."""

    read: Callable[[Path], Any]
    ending: str


def _release(path: Path) -> Any:
    """Read, and what a learner does first."""
    release = Release.load(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TooNoisy)
        return MomentRegression().fit(release) if release.protocol == "products" else release


def _sheet(path: Path) -> Any:
    sheet = Sheet.open(path)
    return list(sheet.batches(sheet.names))


READERS = {
    "release": Reader(_release, ".release"),
    "array": Reader(load_array, ".npy"),
    "table": Reader(_sheet, ".csv"),
    "parquet": Reader(_sheet, ".parquet"),
    "trials": Reader(load_trials, ".npz"),
}


def good(reader: str) -> bytes:
    """A file that is read without complaint."""
    X = np.eye(4)[:, :3] / 2
    with TemporaryDirectory() as name:
        path = Path(name, f"good{READERS[reader].ending}")
        if reader == "release":
            PerValueRelease(30.0, 6.0).publish((X, np.array([0.0, 1.0, 0.5, 0.5])), np.random.default_rng(0)).save(path)
        elif reader == "parquet":
            import pyarrow as pa
            from pyarrow import parquet

            parquet.write_table(pa.table({"a": [1.0, 2.0], "b": ["x", "y"]}), path)
        elif reader == "trials":
            arrays: dict[str, Any] = {"0/a": np.arange(5), "1/b": np.eye(2)}
            np.savez(path, **arrays)
        elif reader == "array":
            np.save(path, X)
        else:
            path.write_bytes(b"a,b\n1,2.5\n-3,4e5\n")
        return path.read_bytes()


def forged(change: Callable[[dict[str, Any]], None]) -> bytes:
    """A release file whose header says something else, with a checksum that fits what it says."""
    whole = good("release")
    end = whole.index(b"\n}\n") + 3
    header = json.loads(whole[:end])
    arrays, at = {}, end
    for name, kind in header["arrays"].items():
        dtype = np.dtype(kind["type"])
        size = dtype.itemsize * int(np.prod(kind["shape"], dtype=int))
        arrays[name], at = np.frombuffer(whole[at : at + size], dtype).reshape(kind["shape"]), at + size
    change(header)
    said = {name: value for name, value in header.items() if name not in ("arrays", "sha256")}
    signed = {**said, "arrays": header["arrays"], "sha256": checksum(said, arrays)}
    return json.dumps(signed, indent=1).encode() + b"\n" + whole[end:]


def _array(shape: Any, kind: str = "<f8") -> Callable[[dict[str, Any]], None]:
    def change(header: dict[str, Any]) -> None:
        name = next(iter(header["arrays"]))
        header["arrays"][name] = {"type": kind, "shape": shape}

    return change


def generated() -> Iterator[tuple[str, str, bytes]]:
    """Reader, name and content of each."""
    for reader in READERS:
        whole = good(reader)
        yield reader, "empty", b""
        yield reader, "half", whole[: len(whole) // 2]
        yield reader, "doubled", whole + whole
        yield reader, "zeros", bytes(200)
        yield reader, "text", "π ≈ 3\n".encode("utf-16")
    changes: dict[str, Callable[[dict[str, Any]], None]] = {
        "many-dimensions": _array([1] * 70),
        "huge-and-empty": _array([0, 1 << 47, 1 << 47]),
        "huge": _array([1 << 40]),
        "negative": _array([-1]),
        "objects": _array([1], "|O"),
        "not-a-number": lambda header: header["parameters"].update(noise=float("nan")),
        "infinite": lambda header: header["parameters"].update(dimension=float("inf")),
        "no-parameters": lambda header: header.update(parameters={}),
        "nested": lambda header: header.update(parameters={"noise": {"a": [[[]]]}}),
        "many-records": lambda header: header.update(records=10**400),
    }
    for name, change in changes.items():
        yield "release", name, forged(change)
    yield "release", "deep", b"{\n" + b"[" * 100_000 + b"\n}\n"
    yield "release", "long-number", b'{\n"records": ' + b"9" * 10_000 + b"\n}\n"
    for reader in ("table",):
        yield reader, "long-line", b"a,b\n" + b"1," * 100_000
        yield reader, "open-quote", b'a,b\n"1,2\n' * 3
        yield reader, "nul", b"a,b\n1,\x00\n"
        yield reader, "repeated-names", b"a,a\n1,2\n"
        yield reader, "ragged", b"a,b\n1\n2,3,4\n"
        yield reader, "overflow", b"a,b\n1e999,2\n"
        yield reader, "decimal-commas", b"a;b\n1,5;2,5\n"
    buffer = io.BytesIO()
    np.save(buffer, np.array([{}], dtype=object), allow_pickle=True)
    yield "array", "pickled", buffer.getvalue()


def write() -> None:
    """Write the generated files."""
    for reader, name, content in generated():
        path = FOLDER / reader / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


if __name__ == "__main__":
    write()
