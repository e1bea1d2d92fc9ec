"""Files that are either whole or not there, the same bytes for the same content, and sealed by a checksum."""

from __future__ import annotations

import errno
import json
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from replication.arrays import Key, Named, read, spelt
from replication.engine.seal import seal, verify
from unveil.errors import UnveilError, require
from unveil.types import Array

#: What numpy and zipfile raise on files that were cut off or altered, beside operating-system errors.
DAMAGED = (
    ValueError,
    EOFError,
    KeyError,
    TypeError,
    OverflowError,
    MemoryError,
    RecursionError,
    NotImplementedError,
    RuntimeError,
    SyntaxError,
    AttributeError,
    struct.error,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)


@contextmanager
def replacing(target: Path, before: Callable[[], None] = lambda: None) -> Iterator[Path]:
    """A path to write to, which takes the place of `target` at the end, or leaves no trace after an error."""
    target.parent.mkdir(parents=True, exist_ok=True)
    # Always the same name: what a killed job leaves is written over, and then replaced, by the next one.
    draft = target.with_name(f".{target.name}.tmp{target.suffix}")
    try:
        yield draft
        before()
        seal(draft, target)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def save_array(path: Path, array: Array, before: Callable[[], None] = lambda: None) -> None:
    """One prepared field as `.npy`; objects, which would need pickle, are refused."""
    with replacing(path, before) as draft, draft.open("wb") as file:
        np.save(file, array, allow_pickle=False)


def save_trials(path: Path, trials: Mapping[int, Named], before: Callable[[], None] = lambda: None) -> None:
    """The arrays of several trials as one `.npz`, under the names `<trial>/<name>`."""
    arrays = {
        f"{trial}/{spelt(name)}": _plain(name, array)
        for trial, named in trials.items()
        for name, array in named.items()
    }
    with replacing(path, before) as draft, draft.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def _plain(name: Key, value: Any) -> Array:
    array = np.asarray(value)
    require(array.dtype != object, f"{name!r} is not an array of numbers, booleans or text")
    return array


def load_array(path: Path) -> Array:
    """A prepared field, mapped into memory; never a pickle."""
    with readable(path):
        array: Array = np.load(path, mmap_mode="r", allow_pickle=False)
        return array


def load_trials(path: Path) -> dict[int, dict[Key, Array]]:
    """What `save_trials` wrote: for each trial its named arrays."""
    trials: dict[int, dict[Key, Array]] = {}
    with readable(path), zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            # What was packed may grow without limit; what is stored plainly holds no more than the file does.
            plain = member.compress_type == zipfile.ZIP_STORED and member.file_size <= path.stat().st_size
            require(plain, f"{member.filename} is not stored plainly")
            trial, _, name = member.filename.removesuffix(".npy").partition("/")
            array = _array(bytearray(archive.read(member)))
            known = trials.setdefault(int(trial), {})
            require(known.setdefault(read(name), array) is array, "two members have the same name")
    return trials


def _array(content: bytearray) -> Array:
    """An array over the bytes of its `.npy` file: a header that declares more than there is takes no memory."""
    stream = BytesIO(content)
    headers = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    shape, fortran, dtype = headers[npy.read_magic(stream)](stream)
    require(not dtype.hasobject, "objects are never loaded")
    require(prod(shape) * dtype.itemsize + stream.tell() == len(content), "a header does not fit its array")
    return np.ndarray(shape, dtype, content, stream.tell(), order="F" if fortran else "C")


def save_bytes(path: Path, content: bytes, before: Callable[[], None] = lambda: None) -> None:
    """A file made in memory, written at once."""
    with replacing(path, before) as draft:
        draft.write_bytes(content)


def save_json(path: Path, content: Any, before: Callable[[], None] = lambda: None) -> None:
    """JSON with stable order and layout."""
    text = json.dumps(content, indent=2, sort_keys=True, allow_nan=False) + "\n"
    save_bytes(path, text.encode(), before)


def load_json(path: Path) -> Any:
    """The content of a JSON file."""
    with readable(path):
        return json.loads(path.read_text(encoding="utf-8"))


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Read only what is as it was written; an altered or unknown file is one line that says what to do."""
    verify(path)
    try:
        yield
    except (*DAMAGED, OSError) as error:
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise  # no fault of the content
        raise UnveilError(f"{path} is damaged ({' '.join(str(error).split())}); delete it and run again") from error
