"""Files out of archives that nobody has to trust, and into one."""

from __future__ import annotations

import shutil
import tarfile
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from replication.data.compressed import name_damage, open_unpacked, read_pieces, require_size, require_source
from unveil.errors import SourceError, UnveilError

#: All that lies in one tar may have so many times the bytes that one file may have.
_WHOLE = 4


def extract(archive: Path, members: Sequence[str], target: Path, limit: int) -> None:
    """Copy one member of a zip or tar archive to `target`; further names lead into archives inside it."""
    member, *inner = members
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".inner.") as place:
        found = Path(place, Path(member).name) if inner else target
        with name_damage(archive.name):
            take = _take_from_zip if zipfile.is_zipfile(archive) else _take_from_tar
            take(archive, member, found, limit)
        if inner:
            extract(found, inner, target, limit)


def _take_from_zip(archive: Path, member: str, target: Path, limit: int) -> None:
    with zipfile.ZipFile(archive) as packed:
        names = [name for name in packed.namelist() if _is_called(name, member)]
        require_source(names, f"{archive.name} has no file {member}")
        # These two are unpacked piece by piece, the others all at once.
        piecewise = packed.getinfo(names[0]).compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        require_source(piecewise, f"{member} is packed in a way that {archive.name} may not use")
        with packed.open(names[0]) as content, target.open("wb") as file:
            file.writelines(read_pieces(content.read, limit, member))


def _take_from_tar(archive: Path, member: str, target: Path, limit: int) -> None:
    # The headers of a tar declare sizes, too, and what they declare is read at once: so it is first written out.
    with open_unpacked(archive) as content, tempfile.TemporaryFile(dir=target.parent) as whole:
        whole.writelines(read_pieces(content.read, _WHOLE * limit, f"all that {archive.name} holds"))
        whole.seek(0)
        with tarfile.open(fileobj=whole, mode="r:") as bundle:
            for entry in bundle:
                if entry.isfile() and _is_called(entry.name, member):
                    found: Any = bundle.extractfile(entry)
                    with target.open("wb") as file:
                        file.writelines(read_pieces(found.read, limit, member))
                    return
    raise SourceError(f"{archive.name} has no file {member}")


def _is_called(name: str, member: str) -> bool:
    """Whether a member is the wanted one: packages put everything in one outer folder."""
    return member in (name, name.partition("/")[2])


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
