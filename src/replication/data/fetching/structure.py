"""Verifying a file by what it shows, where nobody knows its hash beforehand."""

from __future__ import annotations

import fnmatch
from pathlib import Path

from replication.data.fetching.landing import digest
from replication.data.fetching.sources import Expectation
from replication.data.fetching.unpacking import damage_named, member_names, require_size, unpacked
from unveil.errors import SourceError

_CHUNK = 1 << 20


def check_structure(path: Path, expect: Expectation, limit: int) -> None:
    """Raise unless the unpacked file has the lines, columns, contents and members that are expected of it."""
    for pattern, count in expect.members.items():
        found = len(fnmatch.filter(member_names(path), pattern))
        _require(found == count, f"{path.name} has {found} members like {pattern} instead of {count}")
    if not expect.members:
        _check_text(path, expect, limit)


def _check_text(path: Path, expect: Expectation, limit: int) -> None:
    """One pass over the bytes, in chunks."""
    tally = _Tally([*map(str.encode, [*expect.contains, *expect.counts]), b"\n", expect.separator.encode()])
    size, last = 0, b""
    with damage_named(path.name), unpacked(path) as file:
        while chunk := file.read(_CHUNK):
            _require(
                size > 0 or not looks_like_html(chunk), f"{path.name} is an HTML page instead of the data"
            )
            size += len(chunk)
            require_size(size, limit, path.name)
            tally.add(chunk)
            last = chunk[-1:]
    _require(size > 0, f"{path.name} is empty")
    lines = tally.seen[b"\n"] + (last != b"\n")
    for text in expect.contains:
        _require(tally.seen[text.encode()] > 0, f"{path.name} lacks a known row: {text[:60]} …")
    for text, count in expect.counts.items():
        found = tally.seen[text.encode()]
        _require(found == count, f"{path.name} has {found} times {text!r} instead of {count}")
    _require(expect.lines in (None, lines), f"{path.name} has {lines} lines instead of {expect.lines}")
    if expect.columns is not None:
        whole = tally.seen[expect.separator.encode()] == lines * (expect.columns - 1)
        _require(whole, f"{path.name} does not have {expect.columns} columns in every line")


class _Tally:
    """Counts texts in a stream of chunks; one that straddles two chunks is found in their overlap."""

    def __init__(self, texts: list[bytes]) -> None:
        self.seen = dict.fromkeys(texts, 0)
        self.longest = max(map(len, texts))
        self.tail = b""

    def add(self, chunk: bytes) -> None:
        for text in self.seen:
            # All but one byte of a text may lie in the chunk before, never all of it: nothing counts twice.
            before = self.tail[-(len(text) - 1) :] if len(text) > 1 else b""
            self.seen[text] += (before + chunk).count(text)
        self.tail = (self.tail + chunk)[-self.longest :]


def check_hash(path: Path, sha256: str) -> None:
    """Raise unless the file has that sha256; a web page in its place is named as such."""
    found = digest(path)
    if found == sha256:
        return
    with path.open("rb") as file:
        page = looks_like_html(file.read(400))
    if page:
        raise SourceError(f"{path.name} is an HTML page instead of the data")
    size = path.stat().st_size
    raise SourceError(f"{path.name} has sha256 {found[:12]}… instead of {sha256[:12]}… ({size} bytes)")


def looks_like_html(start: bytes) -> bool:
    """Whether the first bytes are those of a web page: what a server in trouble sends instead of a file."""
    return start.lstrip()[:200].lower().startswith((b"<!doctype html", b"<html", b"<?xml"))


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise SourceError(message)
