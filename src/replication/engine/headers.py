"""What the headers of `.npy` and `.npz` files declare is believed only as far as the file's own size bears it out."""

from __future__ import annotations

import struct
import tokenize
import zipfile
import zlib
from math import prod
from pathlib import Path
from typing import IO

from numpy.lib import format as npy

from unveil.errors import UnveilError

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


def check_members(path: Path) -> None:
    """Raise unless every member of an `.npz` is a stored array of the size that its header declares.

    Members that were packed may grow without limit, and objects need pickle; both are refused before anything is read.
    """
    size = path.stat().st_size
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        names = [member.filename for member in members]
        if len(set(names)) < len(names):
            raise UnveilError("two members have the same name")
        for member in members:
            if member.compress_type != zipfile.ZIP_STORED or member.file_size > size:
                raise UnveilError(f"{member.filename} is not stored plainly")
            with archive.open(member) as file:
                declared = _declared_bytes(file, member.filename) + file.tell()
            if declared != member.file_size:
                raise UnveilError(f"{member.filename} declares {declared} bytes but has {member.file_size}")


def _declared_bytes(file: IO[bytes], name: str) -> int:
    """The bytes of the array that a header announces."""
    version = npy.read_magic(file)
    readers = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    if version not in readers:
        raise UnveilError(f"{name} has a header of the unknown version {version}")
    shape, _, dtype = readers[version](file)
    if dtype.hasobject:
        raise UnveilError(f"{name} holds objects, which are never loaded")
    return prod(shape) * dtype.itemsize
