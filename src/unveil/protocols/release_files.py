"""Release files: a header that a person can read, the arrays behind it, and a checksum."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from math import inf
from pathlib import Path
from typing import Any

from unveil import containers
from unveil.errors import UnveilError, is_real, is_whole, require
from unveil.files import Content, create
from unveil.protocols import PROTOCOLS
from unveil.protocols.base import FORMAT, LEVELS, RANDOMNESS, SCOPES, Release, Shard, find_protocol
from unveil.types import Arrays

_NAMES = set(Release.__dataclass_fields__) - {"arrays"}


def save(release: Release, path: Path, note: Callable[[], object] | None = None) -> None:
    """Write the file whole or not at all; a file that exists is never overwritten.

    `note` is called before it has its name, once all of it is on the disk and was read again.
    """

    def check(draft: Path) -> None:
        with draft.open("rb") as file:
            _build(*containers.read_stream(file, path, FORMAT, _NAMES, "release"), path)
        if note:
            note()

    create(path, content_of(release), check if note else None)


def content_of(release: Release) -> Content:
    """The pieces of the file."""
    return containers.content_of(release.describe(), release.arrays)


def load(path: Path) -> Release:
    """Read a release file; anything but an intact one is an error."""
    return _build(*containers.read(path, FORMAT, _NAMES, "release"), path)


def read_release(content: bytes | bytearray, name: str) -> Release:
    """The same of what a file of this name holds."""
    return _build(*containers.read_stream(BytesIO(content), Path(name), FORMAT, _NAMES, "release"), Path(name))


def _build(content: dict[str, Any], arrays: Arrays, path: Path) -> Release:
    """Whoever can write a file can write a right checksum, too: kinds and ranges are checked all the same."""
    try:
        release = _check_header(content, arrays, path)
        find_protocol(release.protocol).check(release, path)
        release.describe()  # what cannot be written again was not written by `save`
    except UnveilError as error:
        raise UnveilError(str(error) if str(path) in str(error) else f"{path}: {error}") from error
    return release


class _Parameters(dict[str, Any]):
    """As a file has them; one that a learner needs and that is left out is an error that names the file."""

    def __init__(self, content: dict[str, Any], path: Path) -> None:
        super().__init__(content)
        self.path = path

    def __missing__(self, name: str) -> Any:
        raise UnveilError(f"{self.path} must hold the parameter {name!r}")


def _check_header(content: dict[str, Any], arrays: Arrays, path: Path) -> Release:
    for name in ("protocol", "mechanism", "scope", "randomness", "rows"):
        require(isinstance(content[name], str), f"{path} must hold a text as its {name}")
    require(content["protocol"] in PROTOCOLS, f"{path} is of an unknown protocol: {content['protocol']!r}")
    require(content["scope"] in SCOPES, f"{path} must hold one of {', '.join(SCOPES)} as its scope")
    require(content["randomness"] in RANDOMNESS, f"{path} must hold one of {', '.join(RANDOMNESS)} as its randomness")
    require(isinstance(content["parameters"], dict), f"{path} must hold named parameters")
    content["parameters"] = _Parameters(content["parameters"], path)
    records = content["records"]
    fine = is_whole(records) and 1 <= records < 1 << 62
    require(fine, f"{path} must hold a positive whole number as its records")
    for name in LEVELS:
        value = inf if content[name] == "infinite" else content[name]
        most = 1 if name.endswith("delta") else inf
        require(is_real(value) and 0 <= value <= most, f"{path} must hold a number from 0 to {most} as its {name}")
        content[name] = float(value)
    content["shards"] = _shards(content["shards"], records, path)
    return Release(**content, arrays=arrays)


def _shards(shards: Any, records: int, path: Path) -> tuple[Shard, ...]:
    rule = f"{path} must hold records, content and rows of the releases that it was merged from"
    require(isinstance(shards, list), rule)
    for shard in shards:
        require(isinstance(shard, list) and len(shard) == len(Shard._fields), rule)
        require(is_whole(shard[0]) and shard[0] >= 1 and all(isinstance(text, str) for text in shard[1:]), rule)
    require(not shards or sum(shard[0] for shard in shards) == records, rule)
    return tuple(Shard(*shard) for shard in shards)
