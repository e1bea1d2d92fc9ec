"""Reading compressed files and archives that nobody has to trust: sizes bounded, nothing extracted blindly."""

from __future__ import annotations

import bz2
import errno
import gzip
import os
import shutil
import stat
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
_OPENERS: dict[str, Callable[..., Any]] = {"gzip": gzip.open, "bzip2": bz2.open}
_MAGIC = {"gzip": b"\x1f\x8b", "bzip2": b"BZh", "xz": b"\xfd7zXZ\0"}
_SUFFIXES = {".gz": "gzip", ".tgz": "gzip", ".bz2": "bzip2"}
#: What a zip's members may be packed with: these two are unpacked piece by piece, the others all at once.
_ZIPPED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
#: All that lies in one archive may have so many times the bytes that one file may have.
_WHOLE = 16
#: What reading damaged compressed data raises; all of it means that the file is not what it should be.
DAMAGED = (
    EOFError, zlib.error, tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile, NotImplementedError, OverflowError,
    struct.error,
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


def packed_with(start: bytes) -> str:
    """The compression that these first bytes speak of; nothing where they speak of none."""
    return next((kind for kind, magic in _MAGIC.items() if start.startswith(magic)), "")


def require_kind(start: bytes, source: str, name: str) -> str:
    """The compression that the name of a file promises, once its first bytes have been seen to keep that promise."""
    promised, found = _SUFFIXES.get(Path(source).suffix, ""), packed_with(start)
    met = found == promised
    require_source(met, f"{name} is {found or 'not'} compressed, and its name says {promised or 'that it is not'}")
    return promised


def require_kind_of(path: Path, source: str) -> None:
    """Refuse a file that is compressed otherwise than the name under which it came says."""
    with path.open("rb") as file:
        require_kind(file.read(6), source, path.name)


def opened(content: Any, kind: str) -> BinaryIO:
    """What is packed with `kind`, a path or a stream, as its unpacked bytes."""
    found: BinaryIO = _OPENERS[kind](content)
    return found


def unpacked(path: Path) -> BinaryIO:
    """The bytes of a file, uncompressed on the way if need be.

    The first bytes may be trusted: a file lands only where they agree with the name under which it came.
    """
    with path.open("rb") as file:
        kind = packed_with(file.read(6))
    return opened(path, kind) if kind in _OPENERS else path.open("rb")


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
        # Without waiting: a pipe that nobody writes to would be waited for until it is opened.
        content = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    except OSError as error:
        raise SourceError(f"{name}: {error.strerror}") from error
    with content, target.open("wb") as file:
        require_source(stat.S_ISREG(os.fstat(content.fileno()).st_mode), f"{name} is no regular file")
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
        for name, size, unpack in _members(archive, limit):
            # Packages put everything in one outer folder.
            if member in (name, name.partition("/")[2]):
                require_size(size, limit, member)
                with unpack() as content, target.open("wb") as file:
                    file.writelines(_bounded(content, limit, member))
                return
    raise SourceError(f"{archive.name} has no file {member}")


def _members(archive: Path, limit: int) -> Iterator[tuple[str, int, Callable[[], Any]]]:
    """The files in an archive: the name of each, the size that is declared for it, and what opens it."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as packed:
            for each in packed.infolist():
                require_source(not each.flag_bits & 1, f"{archive.name} is encrypted")
                plain = each.compress_type in _ZIPPED
                require_source(plain, f"{each.filename} is packed in a way that {archive.name} may not use")
                yield each.filename, each.file_size, partial(packed.open, each)
        return
    with unpacked(archive) as content:
        if not _is_tar(content):
            seen = "a web page" if content.read(200).lstrip().startswith(b"<") else "neither zip nor tar"
            raise SourceError(f"{archive.name} is {seen} instead of an archive")
        watched: Any = _Watched(content, limit, archive.name)
        with tarfile.open(fileobj=watched, mode="r:") as bundle:
            yield from ((each.name, each.size, partial(bundle.extractfile, each)) for each in bundle if each.isfile())


def _is_tar(content: BinaryIO) -> bool:
    """Whether the first block is a tar's; the content is then read from its start again."""
    try:
        tarfile.TarInfo.frombuf(content.read(tarfile.BLOCKSIZE), tarfile.ENCODING, "surrogateescape")
    except tarfile.HeaderError:
        return False
    finally:
        content.seek(0)
    return True


class _Watched:
    """A tar's bytes, no more of them at once or in all than its files may have.

    The headers of a tar declare sizes, too, and what they declare is read at once.
    """

    def __init__(self, content: BinaryIO, limit: int, name: str) -> None:
        self.content, self.limit, self.name = content, max(limit, _CHUNK), name

    def read(self, size: int) -> bytes:
        require_size(size, self.limit, f"a header or a file of {self.name}")
        return self.content.read(size)

    def seek(self, place: int) -> int:
        require_size(place, _WHOLE * self.limit, f"all that {self.name} holds")
        return self.content.seek(place)

    def tell(self) -> int:
        return self.content.tell()


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
