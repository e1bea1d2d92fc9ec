"""Reading compressed files and archives that nobody has to trust: sizes bounded, nothing extracted blindly."""

from __future__ import annotations

import bz2
import errno
import fnmatch
import gzip
import lzma
import shutil
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, cast

from unveil.errors import SourceError

_CHUNK = 1 << 20
#: What reading damaged compressed data raises; all of it means that the file is not what it should be.
DAMAGED = (
    EOFError,
    zlib.error,
    lzma.LZMAError,
    tarfile.TarError,
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    NotImplementedError,
    OverflowError,
    struct.error,
)


@contextmanager
def damage_named(name: str) -> Iterator[None]:
    """Turn what damaged data raises into one line that names the file."""
    try:
        yield
    except DAMAGED as error:
        raise SourceError(f"{name} is truncated or damaged ({' '.join(str(error).split())})") from error
    except OSError as error:
        # bz2 reports bad data without a number, zipfile seeks before the start; real input/output errors differ.
        if error.errno in (None, errno.EINVAL):
            raise SourceError(f"{name} is truncated or damaged ({error})") from error
        raise


def unpacked(path: Path) -> BinaryIO:
    """The bytes of a file, uncompressed on the way if its first bytes say that it is gzip, bzip2 or xz."""
    with path.open("rb") as file:
        magic = file.read(6)
    if magic.startswith(b"\x1f\x8b"):
        return cast(BinaryIO, gzip.open(path, "rb"))
    if magic.startswith(b"BZh"):
        return cast(BinaryIO, bz2.open(path, "rb"))
    if magic.startswith(b"\xfd7zXZ\0"):
        return cast(BinaryIO, lzma.open(path, "rb"))
    return path.open("rb")


def read_bounded(path: Path, limit: int) -> bytes:
    """All unpacked bytes of a file, at most `limit` of them."""
    with damage_named(path.name), unpacked(path) as file:
        content = bytearray()
        # In pieces: a plain file's read(n) takes n bytes of memory however little there is.
        while chunk := file.read(_CHUNK):
            content += chunk
            require_size(len(content), limit, path.name)
    return bytes(content)


def require_size(size: int, limit: int, name: str) -> None:
    """Refuse what is larger than it may be."""
    if size > limit:
        raise SourceError(f"{name} is larger than the {limit / 1e6:.0f} MB it may have")


def extract(archive: Path, members: Sequence[str], target: Path, limit: int) -> None:
    """Copy one member of a zip or tar archive to `target`; further names lead into archives inside it."""
    member, *inner = members
    with damage_named(archive.name):
        if not inner:
            _copy_member(archive, member, target, limit)
            return
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".inner.") as nested:
            _copy_member(archive, member, Path(nested.name), limit)
            extract(Path(nested.name), inner, target, limit)


def _copy_member(archive: Path, member: str, target: Path, limit: int) -> None:
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as packed:
            entry = next((each for each in packed.infolist() if _named(each.filename, member)), None)
            if entry is None:
                raise SourceError(f"{archive.name} has no file {member}")
            if entry.flag_bits & 1:
                raise SourceError(f"{archive.name} is encrypted")
            require_size(entry.file_size, limit, member)
            with packed.open(entry) as content:
                _copy(content, target, limit, member)
    elif tarfile.is_tarfile(archive):
        with tarfile.open(archive) as bundle:
            found = next((each for each in bundle if each.isfile() and _named(each.name, member)), None)
            inside = bundle.extractfile(found) if found else None
            if found is None or inside is None:
                raise SourceError(f"{archive.name} has no file {member}")
            require_size(found.size, limit, member)
            with inside as content:
                _copy(content, target, limit, member)
    else:
        with archive.open("rb") as file:
            page = file.read(200).lstrip().startswith(b"<")
        raise SourceError(
            f"{archive.name} is {'a web page' if page else 'neither zip nor tar'} instead of an archive"
        )


def _named(name: str, member: str) -> bool:
    """Whether an archive's entry is the wanted one; packages put everything in one outer folder."""
    return member in (name, name.partition("/")[2])


def _copy(content: IO[bytes], target: Path, limit: int, name: str) -> None:
    """Copy at most `limit` bytes, whatever size the archive declared."""
    size = 0
    with target.open("wb") as file:
        while chunk := content.read(_CHUNK):
            size += len(chunk)
            require_size(size, limit, name)
            file.write(chunk)


def member_names(archive: Path) -> list[str]:
    """The names in a zip archive."""
    with damage_named(archive.name):
        if not zipfile.is_zipfile(archive):
            raise SourceError(f"{archive.name} is no zip archive")
        with zipfile.ZipFile(archive) as packed:
            return packed.namelist()


def count_members(archive: Path, pattern: str) -> int:
    """How many names in a zip archive match `pattern`."""
    return len(fnmatch.filter(member_names(archive), pattern))


def pack(files: Sequence[tuple[str, Path]], target: Path) -> None:
    """Pack files into a zip whose bytes depend on nothing but their names and contents."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as packed:
        for name, path in sorted(files):
            with (
                path.open("rb") as content,
                packed.open(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), "w") as slot,
            ):
                shutil.copyfileobj(content, slot)
