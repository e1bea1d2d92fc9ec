"""One file format for releases and models: a header that a person can read, the arrays behind it, and a checksum.

The header is JSON; the arrays follow as they lie in memory, in the order of their names. Nothing in such a file can be
run. The checksum guards against accidents; who wants to be safe from forgers must sign the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from itertools import chain
from math import prod
from os import SEEK_END
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from unveil.errors import UnveilError, is_whole, require
from unveil.files import Content
from unveil.fingerprints import checksum, contents, describe
from unveil.types import Array, Arrays

#: Truth values, and numbers in the order of bytes that most machines have.
_TYPES = ("|b1", "|u1", "|i1", *(f"<{kind}" for kind in ("u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8")))
#: A header ends with the first line that closes it, and none needs more bytes.
_END, _LONGEST = b"\n}\n", 1 << 24
#: So many dimensions every numpy knows.
_DEEPEST = 32


def content_of(header: Mapping[str, Any], arrays: Arrays) -> Content:
    """The pieces of the file: the header with the types and shapes of the arrays and the checksum, and the arrays."""
    signed = {**describe(header, arrays), "sha256": checksum(header, arrays)}
    text = json.dumps(signed, indent=1, ensure_ascii=False, allow_nan=False)
    return chain([text.encode(), b"\n"], contents(arrays))


def read(path: Path, form: str, names: AbstractSet[str], what: str) -> tuple[dict[str, Any], Arrays]:
    """The header's entries `names`, and the arrays; anything but an intact file is an error.

    `form` is the file's format, as the header says it, and `what` it is called in messages: "release", "model".
    """
    try:
        with path.open("rb") as file:
            return read_stream(file, path, form, names, what)
    except OSError as error:
        raise UnveilError(f"cannot read {path}: {error.strerror}") from error


def read_stream(
    file: BinaryIO, path: Path, form: str, names: AbstractSet[str], what: str
) -> tuple[dict[str, Any], Arrays]:
    """The same of an open file, which `path` names in messages."""
    content, at = _read_header(file.read(_LONGEST), path, what)
    _require_header(content, path, form, names, what)
    arrays: dict[str, Array] = {}
    size = file.seek(0, SEEK_END)
    for name, kind in content.pop("arrays").items():
        length = _size(kind, path, what)
        file.seek(at)
        # Nothing is taken on trust: a size that the file does not have takes no memory.
        require(size >= at + length, f"{path} was cut off: {name} is not whole")
        data = np.frombuffer(file.read(length), dtype=kind["type"])
        arrays[name], at = data.reshape(kind["shape"]), at + length
    require(size == at, f"{path} was altered: it holds more than its header says")
    # A mask may hold other bytes than 0 and 1 only in a forged file.
    forged = any(array.dtype.kind == "b" and array.view(np.uint8).max(initial=0) > 1 for array in arrays.values())
    numbers = all(np.isfinite(array).all() for array in arrays.values() if array.dtype.kind == "f")
    require(numbers and not forged, f"{path} must hold finite numbers")
    expected = content.pop("sha256")
    intact = checksum({"format": form, **content}, arrays) == expected
    require(intact, f"{path} was altered: its checksum does not match its content")
    return content, arrays


def _read_header(head: bytes, path: Path, what: str) -> tuple[dict[str, Any], int]:
    """The header and its length in bytes."""
    require(head.startswith(b"{\n"), f"{path} is no {what} file")
    end = head.find(_END) + len(_END)
    require(end >= len(_END), f"{path} is no whole {what} file (truncated?): its header does not end")
    try:
        content = json.loads(head[:end])
    except (ValueError, RecursionError) as error:
        raise UnveilError(f"{path} is no whole {what} file: {error}") from error
    require(isinstance(content, dict), f"{path} is no {what} file")
    return content, end


def _require_header(content: dict[str, Any], path: Path, form: str, names: AbstractSet[str], what: str) -> None:
    found = content.pop("format", None)
    said = f", but says that it is {found[:40]!r}" if isinstance(found, str) else ""
    require(found == form, f"{path} is no {what} file of the format {form!r}{said}")
    expected = {*names, "arrays", "sha256"}
    require(set(content) == expected, f"{path} must hold exactly {', '.join(sorted(expected))}")
    require(isinstance(content["arrays"], dict), f"{path} must say which arrays it holds")


def _size(kind: Any, path: Path, what: str) -> int:
    """The bytes of an array, provided that its type and shape can be those of one."""
    ok = isinstance(kind, dict) and set(kind) == {"type", "shape"} and isinstance(kind["shape"], list)
    ok = ok and kind["type"] in _TYPES
    ok = ok and len(kind["shape"]) <= _DEEPEST
    ok = ok and all(is_whole(side) and 0 <= side < 1 << 48 for side in kind["shape"])
    # An array without entries may still have sides that numpy cannot multiply.
    ok = ok and prod(max(side, 1) for side in kind["shape"]) < 1 << 60
    require(ok, f"{path} must say of each array of a {what} its type and shape")
    return int(np.dtype(kind["type"]).itemsize * prod(kind["shape"]))
