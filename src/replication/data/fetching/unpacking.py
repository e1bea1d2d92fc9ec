"""Reading compressed files and archives that nobody has to trust: sizes bounded, nothing extracted blindly."""

from __future__ import annotations

import bz2
import errno
import gzip
import lzma
import shutil
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any, BinaryIO

from unveil.errors import SourceError, UnveilError

_CHUNK = 1 << 20
_OPENERS: dict[bytes, Callable[..., Any]] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\0": lzma.open}
#: What reading damaged compressed data raises; all of it means that the file is not what it should be.
DAMAGED = (
    EOFError, zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile, NotImplementedError,
    OverflowError, struct.error,
)  # fmt: skip


@contextmanager
def damage_named(name: str) -> Iterator[None]:
    """Turn what damaged data raises into one line that names the file."""
    try:
        yield
    except (*DAMAGED, OSError) as error:
        # bz2 reports bad data without a number, zipfile seeks before the start; real input/output errors differ.
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise
        raise SourceError(f"{name} is truncated or damaged ({' '.join(str(error).split())})") from error


def opener(start: bytes) -> Callable[..., Any] | None:
    """What opens a file with these first bytes, if they say that it is gzip, bzip2 or xz."""
    return next((each for magic, each in _OPENERS.items() if start.startswith(magic)), None)


def unpacked(path: Path) -> BinaryIO:
    """The bytes of a file, uncompressed on the way if need be."""
    with path.open("rb") as file:
        unpack = opener(file.read(6))
    found: BinaryIO = unpack(path) if unpack else path.open("rb")
    return found


def read_bounded(path: Path, limit: int) -> bytes:
    """All unpacked bytes of a file, at most `limit` of them."""
    with damage_named(path.name), unpacked(path) as file:
        # In pieces: a plain file's read(n) takes n bytes of memory however little there is.
        return b"".join(_bounded(file, limit, path.name))


def _bounded(file: IO[bytes], limit: int, name: str) -> Iterator[bytes]:
    """The content in pieces, at most `limit` bytes, whatever size was declared."""
    size = 0
    while chunk := file.read(_CHUNK):
        size += len(chunk)
        require_size(size, limit, name)
        yield chunk


def require_source(condition: object, message: str) -> None:
    """Raise `SourceError` with `message` unless `condition` holds."""
    if not condition:
        raise SourceError(message)


def require_size(size: int, limit: int, name: str) -> None:
    """Refuse what is larger than it may be."""
    require_source(size <= limit, f"{name} is larger than the {limit / 1e6:.0f} MB it may have")


def copy_file(path: Path, target: Path, limit: int, name: str) -> None:
    """Copy a file that should be there; trouble with reading is the source's, trouble with writing is ours."""
    try:
        content = path.open("rb")
    except OSError as error:
        raise SourceError(f"{name}: {error.strerror}") from error
    with content, target.open("wb") as file:
        file.writelines(_bounded(content, limit, name))


def extract(archive: Path, members: Sequence[str], target: Path, limit: int) -> None:
    """Copy one member of a zip or tar archive to `target`; further names lead into archives inside it."""
    member, *inner = members
    if inner:
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".inner.") as nested:
            extract(archive, [member], Path(nested.name), limit)
            extract(Path(nested.name), inner, target, limit)
        return
    with damage_named(archive.name):
        for name, size, unpack in _members(archive):
            # Packages put everything in one outer folder.
            if member in (name, name.partition("/")[2]):
                require_size(size, limit, member)
                with unpack() as content, target.open("wb") as file:
                    file.writelines(_bounded(content, limit, member))
                return
    raise SourceError(f"{archive.name} has no file {member}")


def _members(archive: Path) -> Iterator[tuple[str, int, Callable[[], Any]]]:
    """The files in an archive: the name of each, the size that is declared for it, and what opens it."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as packed:
            for each in packed.infolist():
                require_source(not each.flag_bits & 1, f"{archive.name} is encrypted")
                yield each.filename, each.file_size, partial(packed.open, each)
    elif tarfile.is_tarfile(archive):
        with tarfile.open(archive) as bundle:
            yield from ((each.name, each.size, partial(bundle.extractfile, each)) for each in bundle if each.isfile())
    else:
        with archive.open("rb") as file:
            page = file.read(200).lstrip().startswith(b"<")
        raise SourceError(f"{archive.name} is {'a web page' if page else 'neither zip nor tar'} instead of an archive")


def member_names(archive: Path) -> list[str]:
    """The names in a zip archive."""
    with damage_named(archive.name):
        require_source(zipfile.is_zipfile(archive), f"{archive.name} is no zip archive")
        with zipfile.ZipFile(archive) as packed:
            return packed.namelist()


def pack(base: Path, pattern: str, target: Path, limit: int) -> None:
    """Pack the matching files of a folder into a zip whose bytes depend on nothing but their names and contents."""
    found = {path.relative_to(base).as_posix(): path for path in base.glob(pattern) if path.is_file()}
    require_source(found, f"the folder has no files like {pattern}")
    require_size(sum(path.stat().st_size for path in found.values()), limit, f"what is like {pattern}")
    try:
        with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as packed:
            for name, path in sorted(found.items()):
                slot = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
                with path.open("rb") as content, packed.open(slot, "w") as file:
                    shutil.copyfileobj(content, file)
    except PermissionError as error:
        raise UnveilError(f"{error.filename} may not be read") from error
