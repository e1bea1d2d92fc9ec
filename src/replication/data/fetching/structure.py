"""Verifying a file by its hash, or by what it shows where nobody knows its hash beforehand."""

from __future__ import annotations

import fnmatch
from pathlib import Path

from replication.data.fetching.landing import digest
from replication.data.fetching.sources import Expectation
from replication.data.fetching.unpacking import damage_named, member_names, require_size, require_source, unpacked

_LONGEST = 1 << 20


def check_structure(path: Path, expect: Expectation, limit: int) -> None:
    """Raise unless the unpacked file has the lines, columns, contents and members that are expected of it."""
    for pattern, count in expect.members.items():
        found = len(fnmatch.filter(member_names(path), pattern))
        require_source(found == count, f"{path.name} has {found} members like {pattern} instead of {count}")
    if not expect.members:
        _check_lines(path, expect, limit)


def _check_lines(path: Path, expect: Expectation, limit: int) -> None:
    """One pass over the lines."""
    seen = dict.fromkeys((*expect.contains, *expect.counts), 0)
    separator, size, lines, ragged = expect.separator.encode(), 0, 0, False
    with damage_named(path.name), unpacked(path) as file:
        # No more than that of a line at once: what has no line ends at all takes no memory either.
        while line := file.readline(_LONGEST):
            require_source(size > 0 or not _looks_like_html(line), f"{path.name} is an HTML page instead of the data")
            size += len(line)
            require_size(size, limit, path.name)
            lines += 1
            ragged = ragged or line.count(separator) + 1 != expect.columns
            for text in seen:
                seen[text] += line.count(text.encode())
    require_source(size, f"{path.name} is empty")
    for text in expect.contains:
        require_source(seen[text], f"{path.name} lacks a known row: {text[:60]} …")
    for text, count in expect.counts.items():
        require_source(seen[text] == count, f"{path.name} has {seen[text]} times {text!r} instead of {count}")
    require_source(expect.lines in (None, lines), f"{path.name} has {lines} lines instead of {expect.lines}")
    whole = expect.columns is None or not ragged
    require_source(whole, f"{path.name} does not have {expect.columns} columns in every line")


def check_hash(path: Path, sha256: str) -> None:
    """Raise unless the file has that sha256; a web page in its place is named as such."""
    found, size = digest(path), path.stat().st_size
    if found != sha256:
        with path.open("rb") as file:
            require_source(not _looks_like_html(file.read(400)), f"{path.name} is an HTML page instead of the data")
    told = f"{path.name} has sha256 {found[:12]}… instead of {sha256[:12]}… ({size} bytes)"
    require_source(found == sha256, told)


def _looks_like_html(start: bytes) -> bool:
    """Whether the first bytes are those of a web page: what a server in trouble sends instead of a file."""
    return start.lstrip()[:200].lower().startswith((b"<!doctype html", b"<html", b"<?xml"))
