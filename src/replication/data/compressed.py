"""Raw files, compressed or not, that nobody has to trust: sizes bounded, and one line for whatever is wrong."""

from __future__ import annotations

import bz2
import errno
import gzip
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from unveil.errors import SourceError

#: First bytes, and what unpacks what they begin.
_KINDS: dict[str, tuple[bytes, Callable[..., Any]]] = {"gzip": (b"\x1f\x8b", gzip.open), "bzip2": (b"BZh", bz2.open)}
_ENDINGS = {".gz": "gzip", ".tgz": "gzip", ".bz2": "bzip2"}
#: What reading damaged compressed data raises; all of it means that the file is not what it should be.
_DAMAGED = EOFError, zlib.error, tarfile.TarError, zipfile.BadZipFile, RuntimeError, OverflowError, struct.error


def require_source(condition: object, message: str) -> None:
    """Raise `SourceError` with `message` unless `condition` holds."""
    if not condition:
        raise SourceError(message)


def require_size(size: int, limit: int, name: str) -> None:
    """Refuse what is larger than it may be."""
    require_source(size <= limit, f"{name} is larger than the {limit / 1e6:.0f} MB it may have")


@contextmanager
def name_damage(name: str) -> Iterator[None]:
    """Turn what damaged data raises into one line that names the file."""
    try:
        yield
    except (*_DAMAGED, OSError) as error:
        # bz2 reports bad data without a number, zipfile seeks before the start; real input/output errors differ.
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise
        raise SourceError(f"{name} is truncated or damaged ({' '.join(str(error).split())})") from error


def _kind_of(path: Path) -> str:
    with path.open("rb") as file:
        start = file.read(3)
    return next((kind for kind, (magic, _) in _KINDS.items() if start.startswith(magic)), "")


def require_kind(path: Path, source: str) -> None:
    """Refuse a file that is compressed otherwise than the name under which it came says."""
    found, promised = _kind_of(path), _ENDINGS.get(Path(source).suffix, "")
    told = f"{path.name} is {found or 'not'} compressed, and its name says {promised or 'that it is not'}"
    require_source(found == promised, told)


def open_unpacked(path: Path) -> BinaryIO:
    """The bytes of a file, uncompressed on the way if need be.

    The first bytes may be trusted: a file lands only where they agree with the name under which it came.
    """
    kind = _kind_of(path)
    file: BinaryIO = _KINDS[kind][1](path) if kind else path.open("rb")
    return file


def read_pieces(read: Callable[[int], bytes], limit: int, name: str) -> Iterator[bytes]:
    """What a file's `read` or `readline` gives, piece by piece, at most `limit` bytes, whatever size was declared."""
    size = 0
    while chunk := read(1 << 16):
        size += len(chunk)
        require_size(size, limit, name)
        yield chunk


def read_bounded(path: Path, limit: int) -> bytes:
    """All unpacked bytes of a file, at most `limit` of them."""
    with name_damage(path.name), open_unpacked(path) as file:
        return b"".join(read_pieces(file.read, limit, path.name))
