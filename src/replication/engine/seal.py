"""Seals: every file that the pipeline makes is known again, so that an altered one is noticed before it is used.

Beside every file `x` that is written here lies its seal, the hidden file `.x.b2`: one line as `b2sum` writes it.
Whatever reads `x` compares it first. The seal takes its place before the file does: a file that is newer than its
seal was touched since, by Snakemake if by nobody else, altered, or copied. Such files are compared at the start of a
run, whether a job needs them or not; the seal then takes over the file's time, so that the next run need not.

Nothing waits for the disk: after a power cut a file may be cut off whose seal is whole, or the other way round.
`python -m replication.engine.seal` compares all files, also those whose time of change says nothing, and with
`--repair` deletes what is damaged; `make verify` and `make repair` call it.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path

from unveil.errors import UnveilError, require

SUFFIX = ".b2"
#: Where the files of a run lie by default.
FOLDERS = ("data", "results", "figures")


def seal_of(path: Path) -> Path:
    """Where the checksum of a file lies."""
    return path.with_name(f".{path.name}{SUFFIX}")


def digest(path: Path) -> str:
    """The BLAKE2b checksum of a file: about a second a gigabyte, and no more memory than a buffer."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()


@contextmanager
def swapped(draft: Path, target: Path) -> Iterator[Path]:
    """`draft` to write to, which takes the place of `target` at the end, or leaves no trace after an error."""
    try:
        yield draft
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def seal(draft: Path, target: Path) -> None:
    """Write the seal of `target`, whose content still lies in `draft`."""
    with swapped(target.with_name(f".{target.name}.tmp{SUFFIX}"), seal_of(target)) as partial:
        partial.write_text(f"{digest(draft)}  {target.name}\n", encoding="utf-8")


def verify(path: Path) -> None:
    """Raise an error that says what to do unless a file is as it was written.

    A file without a seal passes: that is how someone keeps an edit of their own. None is lost by accident, since a
    seal takes its place before its file does.
    """
    try:
        known = seal_of(path).read_bytes()
    except FileNotFoundError:
        return
    remedy = f"delete it and run again, or delete {seal_of(path)} to keep it as it is"
    damaged = f"{path} is damaged (it does not match its checksum); {remedy}"
    require(known == f"{digest(path)}  {path.name}\n".encode(), damaged)


def sealed(folders: Iterable[str | Path]) -> Iterator[Path]:
    """Every file below `folders` that has a seal."""
    for place, _, names in chain.from_iterable(map(os.walk, folders)):
        found = set(names)
        yield from (Path(place, name) for name in sorted(found) if seal_of(Path(name)).name in found)


def check_changes(folders: Iterable[str | Path], raw: str | Path | None = None) -> None:
    """Before a run: compare the files whose time of change is not the one of their making.

    What was fetched into `raw` has hashes of its own and is asked for its date only.
    """
    named = [str(folder) for folder in folders]
    for path in sorted(Path(raw).glob("*/provenance.json")) if raw else ():
        _require_past(path, path.stat().st_mtime_ns, [str(raw)])
    for path in sealed(named):
        # In this order: another run that replaces both in between makes the file look older, never newer.
        try:
            changed = path.stat().st_mtime_ns
            made = seal_of(path).stat().st_mtime_ns
        except FileNotFoundError:
            continue
        _require_past(path, changed, named)
        if changed > made:
            verify(path)
            with suppress(OSError):  # a folder that takes no times costs time and nothing else
                os.utime(seal_of(path), ns=(changed, changed))


def _require_past(path: Path, changed: int, folders: Iterable[str]) -> None:
    """Snakemake fails every job that reads a file of the future, for its outputs would be older than it."""
    # `find` fails where it is to look into a folder that no run has made yet.
    made = " ".join(folder for folder in folders if Path(folder).exists())
    remedy = f"set the clock right, or run `find {made} -newermt now -exec touch {{}} +`"
    require(changed < time.time_ns() + 2_000_000_000, f"{path} is dated in the future; {remedy}")


def main(arguments: list[str]) -> int:
    """Compare everything below the folders named, tell what is damaged; with `--repair` delete that, too."""
    folders = [folder for folder in arguments if folder != "--repair"]
    damaged = []
    files = list(sealed(folders or FOLDERS))
    for path in files:
        try:
            verify(path)
        except UnveilError as error:
            damaged.append(path)
            sys.stderr.write(f"error: {error}\n")
    if damaged and len(folders) < len(arguments):
        for path in damaged:
            path.unlink()
            seal_of(path).unlink()
        sys.stderr.write(f"deleted {len(damaged)} damaged files; run again to make them anew\n")
        return 0
    if damaged:
        sys.stderr.write("to delete them, and have them made anew by the next run: make repair\n")
        return 1
    sys.stdout.write(f"all {len(files)} files are as they were written\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
