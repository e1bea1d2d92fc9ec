"""How files reach `data/raw/<dataset>`: whole, verified, and by renaming only."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from unveil.errors import UnveilError, require

_DISK = {
    errno.ENOSPC: "the disk is full: free some space and run again",
    errno.EDQUOT: "the disk quota is used up: free some space and run again",
    errno.EROFS: "the folder is read-only: make it writable and run again",
    errno.EACCES: "the folder may not be written: change its permissions and run again",
    errno.EPERM: "the folder may not be written: change its permissions and run again",
    errno.EFBIG: "the file would be larger than this system allows",
}


def tell(message: str) -> None:
    """Say one thing to the person who is watching (or reading the log)."""
    sys.stderr.write(message + "\n")
    sys.stderr.flush()


def digest(path: Path) -> str:
    """The sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def disk_errors(folder: Path) -> Iterator[None]:
    """Turn a full disk or a read-only folder into one line that says so."""
    try:
        yield
    except OSError as error:
        if error.errno in _DISK:
            raise UnveilError(f"{folder}: {_DISK[error.errno]}") from error
        raise UnveilError(f"{error.filename or folder}: {error.strerror or error}") from error


@contextmanager
def staging(raw: Path) -> Iterator[Path]:
    """A folder beside `raw`, on the same file system, that is gone afterwards whatever happens."""
    place = raw.parent / ".staging"
    place.mkdir(parents=True, exist_ok=True)
    _sweep(place, raw.name)
    stage = Path(tempfile.mkdtemp(prefix=f"{raw.name}.{os.getpid()}.", dir=place))
    try:
        yield stage
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _sweep(place: Path, dataset: str) -> None:
    """Remove what killed runs of this data set left behind."""
    for left in place.glob(f"{dataset}.*.*"):
        if not _alive(int(left.name.split(".")[1])):
            shutil.rmtree(left, ignore_errors=True)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def land(stage: Path, raw: Path, provenance: Mapping[str, Any]) -> None:
    """Move the verified files of `stage` into `raw`; the provenance comes last and never describes a mixture."""
    described = stage / "provenance.json"
    write_json(described, {**provenance, "checksum": checksum(provenance)})
    raw.mkdir(parents=True, exist_ok=True)
    (raw / described.name).unlink(missing_ok=True)
    # From here on only renaming is left, which needs no space.
    for stale in set(raw.iterdir()) - {raw / name for name in provenance["files"]}:
        if stale.is_file():
            stale.unlink()
    for name in provenance["files"]:
        (stage / name).replace(raw / name)
    described.replace(raw / described.name)


def copy(path: Path, target: Path) -> None:
    """A second name for a file where the file system allows it, else a copy."""
    try:
        os.link(path, target)
    except OSError:
        shutil.copyfile(path, target)


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a small JSON file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Always the same name: what a killed run leaves is written over by the next one.
    partial = path.with_name(f".{path.name}.tmp")
    try:
        partial.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def checksum(content: Mapping[str, Any]) -> str:
    """A checksum of a provenance, but for the one that it may hold itself."""
    rest = {key: value for key, value in content.items() if key != "checksum"}
    return hashlib.blake2b(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def read_provenance(raw: Path) -> dict[str, Any]:
    """What a folder of raw files says of itself, as it was written; else an error that says what to do."""
    content = read_json(raw / "provenance.json")
    require(
        content and content.get("checksum") == checksum(content),
        f"{raw / 'provenance.json'} is damaged (it does not match its checksum); delete it and run again",
    )
    return {key: value for key, value in content.items() if key != "checksum"}


def read_json(path: Path) -> dict[str, Any]:
    """The content of a small JSON file; empty where there is none or it is damaged."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
