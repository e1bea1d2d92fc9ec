"""Files that are either whole or not there, the same bytes for the same content, and sealed by a checksum."""

from __future__ import annotations

import errno
import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from replication.arrays import Key, Values, parse_name, spell
from replication.engine.runs import require_run
from replication.engine.seal import seal, swapped, verify
from unveil.errors import UnveilError, require
from unveil.protocols.base import Release
from unveil.protocols.release_files import content_of, read_release
from unveil.types import Array

#: How the name of a release ends.
_RELEASE = ".unveil"


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """A path to write to, which takes the place of `target` at the end, or leaves no trace after an error.

    An orphan, whose run is over, ends here: nothing of it takes a place.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    # Always the same name: what a killed job leaves is written over, and then replaced, by the next one.
    draft = target.with_name(f".{target.name}.tmp{target.suffix}")
    with swapped(draft, target):
        yield draft
        require_run()
        seal(draft, target)


def save_array(path: Path, array: Array) -> None:
    """One prepared field as `.npy`; objects, which would need pickle, are refused."""
    with replacing(path) as draft, draft.open("wb") as file:
        np.save(file, array, allow_pickle=False)


def save_trials(path: Path, trials: Mapping[int, Values]) -> None:
    """The arrays of several trials as one `.npz`, under the names `<trial>/<name>`; releases are files in it."""
    arrays, releases = {}, {}
    for trial, named in trials.items():
        for name, value in named.items():
            if isinstance(value, Release):
                releases[f"{trial}/{spell(name)}{_RELEASE}"] = value
                continue
            arrays[f"{trial}/{spell(name)}"] = array = np.asarray(value)
            require(array.dtype != object, f"{name!r} is not an array of numbers, booleans or text")
    with replacing(path) as draft:
        with draft.open("wb") as file:
            np.savez(file, allow_pickle=False, **arrays)
        with zipfile.ZipFile(draft, "a") as archive:
            for member, release in releases.items():
                # Without a date, as numpy writes its own: the same bytes at any time.
                with archive.open(zipfile.ZipInfo(member), "w", force_zip64=True) as file:
                    file.writelines(content_of(release))


def load_array(path: Path) -> Array:
    """A prepared field, mapped into memory; never a pickle."""
    with readable(path):
        array: Array = np.load(path, mmap_mode="r", allow_pickle=False)
        return array


def load_trials(path: Path) -> dict[int, dict[Key, Any]]:
    """What `save_trials` wrote: for each trial its named arrays and releases."""
    trials: dict[int, dict[Key, Any]] = {}
    with readable(path), zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            # What was packed may grow without limit; what is stored plainly holds no more than the file does.
            plain = member.compress_type == zipfile.ZIP_STORED and member.file_size <= path.stat().st_size
            require(plain, f"{member.filename} is not stored plainly")
            whole = member.filename.endswith(_RELEASE)
            trial, _, name = member.filename.removesuffix(_RELEASE if whole else ".npy").partition("/")
            content = bytearray(archive.read(member))
            value = read_release(content, member.filename) if whole else _array(content)
            known = trials.setdefault(int(trial), {})
            require(known.setdefault(parse_name(name), value) is value, "two members have the same name")
    return trials


def _array(content: bytearray) -> Array:
    """An array over the bytes of its `.npy` file: a header that declares more than there is takes no memory."""
    stream = BytesIO(content)
    headers = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    shape, fortran, dtype = headers[npy.read_magic(stream)](stream)
    require(not dtype.hasobject, "objects are never loaded")
    require(prod(shape) * dtype.itemsize + stream.tell() == len(content), "a header does not fit its array")
    return np.ndarray(shape, dtype, content, stream.tell(), order="F" if fortran else "C")


def save_bytes(path: Path, content: bytes) -> None:
    """A file made in memory, written at once."""
    with replacing(path) as draft:
        draft.write_bytes(content)


def save_json(path: Path, content: Any) -> None:
    """JSON with stable order and layout."""
    text = json.dumps(content, indent=2, sort_keys=True, allow_nan=False) + "\n"
    save_bytes(path, text.encode())


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
    except Exception as error:  # numpy, zipfile and pandas raise nearly everything on what was cut off or altered
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise  # no fault of the content
        raise UnveilError(f"{path} is damaged ({' '.join(str(error).split())}); delete it and run again") from error
